// The page of a class that has exactly one object.

import type { PageProps } from "../app/routes";
import { useAsOf } from "../as_of/as_of";
import { useModel } from "../description/use_model";
import ObjectPage, { StoredObjectPage } from "./object_page";

/** The `_id` of all singletons. */
const ID = "1";

export default function SingletonPage({ params }: PageProps) {
  const class_ = useModel().find(params["class"] ?? "");
  const asOf = useAsOf();
  if (class_?.kind !== "SINGLETON") return <ObjectPage params={params} />;
  const instant = class_.versioned ? asOf : null;
  return <StoredObjectPage key={instant} class_={class_} id={ID} asOf={instant} isPast={asOf !== null} />;
}
