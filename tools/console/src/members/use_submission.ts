// What a form of the REST API does when it is sent: once at a time, with errors at their fields.

import { useState } from "react";
import { asServiceError, type ServiceError } from "../service/errors";
import { type FieldErrors, fieldErrors } from "./field_errors";

const NONE: FieldErrors = { fields: {}, rest: "" };

export interface Submission {
  readonly errors: FieldErrors;
  readonly isPending: boolean;
  /** Does it. Returns whether it was done; the form shows why not. */
  readonly submit: (task: () => Promise<unknown>) => Promise<boolean>;
  /** Shows what is wrong without asking the service. */
  readonly refuse: (fields: Readonly<Record<string, string>>) => void;
  readonly clear: () => void;
}

interface Options {
  /** Returns the field that a refusal is about, if its text names none. */
  readonly fieldOf?: (error: ServiceError) => string | null;
}

/** `labels` has what the form calls the fields of the API. */
export function useSubmission(
  labels: Readonly<Record<string, string>>,
  { fieldOf = () => null }: Options = {},
): Submission {
  const [errors, setErrors] = useState(NONE);
  const [isPending, setPending] = useState(false);

  async function submit(task: () => Promise<unknown>): Promise<boolean> {
    if (isPending) return false;
    setPending(true);
    setErrors(NONE);
    try {
      await task();
      return true;
    } catch (failure) {
      const error = asServiceError(failure);
      const found = fieldErrors(error.message, labels);
      const field = found.rest ? fieldOf(error) : null;
      setErrors(field ? { fields: { ...found.fields, [field]: found.rest }, rest: "" } : found);
      return false;
    } finally {
      setPending(false);
    }
  }

  return {
    errors,
    isPending,
    submit,
    refuse: (fields) => setErrors({ fields, rest: "" }),
    clear: () => setErrors(NONE),
  };
}
