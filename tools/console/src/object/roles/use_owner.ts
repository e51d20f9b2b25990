import type { Owner } from "../../documents/associables";
import { type DraftPath, stepsOf } from "../draft";
import { useForm } from "../form_context";

/** Returns where the objects are found that a role at a place of the form may lead to. */
export function useOwner(path: DraftPath): Owner {
  const { model, class_, objectId } = useForm();
  let owner = class_;
  const roles = stepsOf(path).flatMap((step) => {
    const found = owner.roles.find(({ name }) => name === step.role);
    if (found) owner = model.of(found.target);
    return found ? [found] : [];
  });
  return { class_, id: objectId, roles };
}
