// The model as a table: what the diagram shows, for those who can't see it or use a pointer.

import "../../components/table.css";
import { Link } from "wouter";
import { paths } from "../../app/routes";
import { Badge } from "../../components/feedback";
import type { Model, ModelClass } from "../../description/model";
import { isListed } from "../../description/sidebar";
import { t } from "../../messages/messages";
import { cardinality, ownAttributes } from "./model_graph";

export function ModelTable({ model }: { readonly model: Model }) {
  return (
    <div className="table-frame">
      <table className="table model-table">
        <caption className="visually-hidden">{t("Classes and roles")}</caption>
        <thead>
          <tr>
            <th scope="col">{t("Class")}</th>
            <th scope="col">{t("Attributes")}</th>
            <th scope="col">{t("Roles")}</th>
          </tr>
        </thead>
        <tbody>
          {model.classes.map((class_) => (
            <tr key={class_.name}>
              <th scope="row">
                <ClassName class_={class_} />
              </th>
              <td>
                <ul>
                  {ownAttributes(class_).map(({ name, type, required }) => (
                    <li key={name}>
                      {name} <span className="quiet">{required ? `${type}!` : type}</span>
                    </li>
                  ))}
                </ul>
              </td>
              <td>
                <ul>
                  {class_.roles
                    .filter(({ name }) => !name.startsWith("_"))
                    .map((role) => (
                      <li key={role.name}>
                        {role.name}{" "}
                        <span className="quiet">
                          → {role.target} ({cardinality(role)})
                        </span>
                      </li>
                    ))}
                </ul>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ClassName({ class_ }: { readonly class_: ModelClass }) {
  const { name, description, group } = class_;
  return (
    <>
      {isListed(class_) ? <Link href={paths.class(class_)}>{name}</Link> : name}{" "}
      {group && <Badge>{group}</Badge>}
      {description && <p className="quiet user-text">{description}</p>}
    </>
  );
}
