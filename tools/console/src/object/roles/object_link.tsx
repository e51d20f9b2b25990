// The name of another object, which leads to its page if it has one.

import { Link } from "wouter";
import { paths } from "../../app/routes";
import type { ModelClass } from "../../description/model";
import { isReadAlone } from "../../documents/object";
import type { Reference } from "../draft";

/** Returns the address of an object's page, or null if its class has no pages. */
export function addressOf(class_: ModelClass, id: string): string | null {
  if (!isReadAlone(class_)) return null;
  return class_.kind === "SINGLETON" ? paths.singleton(class_.name) : paths.object(class_.name, id);
}

interface ObjectLinkProps {
  readonly class_: ModelClass;
  readonly target: Reference;
}

export function ObjectLink({ class_, target }: ObjectLinkProps) {
  const to = addressOf(class_, target.id);
  const text = target.label || target.id;
  if (!to) return <span className="user-text">{text}</span>;
  return (
    <Link href={to} className="user-text">
      {text}
    </Link>
  );
}
