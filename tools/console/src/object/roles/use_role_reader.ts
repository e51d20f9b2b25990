// Reads more of a role than came with the object: what is deeper, and what comes after its first page.

import { useCallback, useState } from "react";
import type { Role } from "../../description/model";
import { atSteps, roleDocument, type Step } from "../../documents/object";
import { asServiceError } from "../../service/errors";
import { ask } from "../../service/graphql";
import { type DraftPath, stepsOf } from "../draft";
import { useForm } from "../form_context";

export interface RoleReader {
  readonly isReading: boolean;
  readonly error: string | null;
  /** Reads a field of the object at the place, and returns what the role leads to, or undefined if that failed. */
  read(field: string): Promise<unknown>;
}

export function useRoleReader(role: Role, path: DraftPath): RoleReader {
  const { model, class_, objectId, asOf } = useForm();
  const [isReading, setReading] = useState(false);
  const [error, setError] = useState<string | null>(null);

  const read = useCallback(
    async (field: string) => {
      let owner = class_;
      const steps: Step[] = [];
      for (const { role: name, clientId } of stepsOf(path)) {
        const found = owner.roles.find((each) => each.name === name);
        if (!found) return undefined;
        steps.push({ role: found, id: clientId });
        owner = model.of(found.target);
      }
      setReading(true);
      setError(null);
      try {
        const isPast = asOf !== null && class_.versioned;
        const document = roleDocument(class_, steps, field, isPast);
        const variables = { id: objectId, ...(isPast ? { atVersion: asOf } : {}) };
        const { data } = await ask<{ object: unknown }>(document, variables);
        return atSteps(data.object, steps)?.[role.name] ?? null;
      } catch (failure) {
        setError(asServiceError(failure).message);
        return undefined;
      } finally {
        setReading(false);
      }
    },
    [model, class_, objectId, asOf, role, path],
  );

  return { isReading, error, read };
}
