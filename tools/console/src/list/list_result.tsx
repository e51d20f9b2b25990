// What a list shows below its toolbar: the objects, or why there are none.

import { FilterX, Inbox, Plus, SearchX } from "lucide-react";
import { paths } from "../app/routes";
import { Button, ButtonLink } from "../components/button";
import { Banner, EmptyState, ErrorState } from "../components/feedback";
import { type ModelClass, offers } from "../description/model";
import { useModel } from "../description/use_model";
import { searchedAttributes } from "../documents/search";
import { t } from "../messages/messages";
import { asServiceError } from "../service/errors";
import { useMember } from "../session/member";
import type { AttributeCondition } from "./filter/condition";
import { conditionSentence } from "./filter/sentences";
import type { List } from "./list";
import { EVERYTHING, isNarrowed } from "./list_state";
import { ListTable, SkeletonTable } from "./list_table";
import { Pager } from "./pager";

export function ListResult({ list }: { readonly list: List }) {
  const { query, state, change } = list;
  if (query.error) return <Refusal list={list} />;
  if (!query.data) return <SkeletonTable list={list} />;
  if (query.data.items.length > 0) {
    return (
      <>
        {query.data.issues[0] && <Banner kind="warning">{query.data.issues[0].userMessage}</Banner>}
        <ListTable list={list} page={query.data} />
        <Pager list={list} page={query.data} />
      </>
    );
  }
  if (state.place.kind !== "first") return <NoFurther list={list} />;
  return (
    <div className="card">
      {isNarrowed(state) ? (
        <EmptyState
          icon={SearchX}
          title={t("Nothing matches")}
          actions={
            <Button icon={FilterX} onPress={() => change(EVERYTHING)}>
              {t("Clear search and filters")}
            </Button>
          }
        >
          {t("No object meets all conditions.")}
        </EmptyState>
      ) : (
        <NoObjects list={list} />
      )}
    </div>
  );
}

function NoObjects({ list: { class_, isPast } }: { readonly list: List }) {
  if (isPast) return <EmptyState icon={Inbox} title={t("There were no objects at that time")} />;
  const isCreated = offers(class_, "create");
  return (
    <EmptyState
      icon={Inbox}
      title={t("No objects yet")}
      actions={
        isCreated && (
          <ButtonLink icon={Plus} to={paths.create(class_.name)}>
            {t("Create the first one")}
          </ButtonLink>
        )
      }
    >
      {isCreated
        ? t("What you create appears here.")
        : t("What others create, and you may see, appears here.")}
    </EmptyState>
  );
}

function NoFurther({ list: { change } }: { readonly list: List }) {
  return (
    <div className="card">
      <EmptyState
        icon={Inbox}
        title={t("There are no further objects")}
        actions={<Button onPress={() => change({})}>{t("Go to the first page")}</Button>}
      />
    </div>
  );
}

const NO_LABELS: ReadonlyMap<string, string> = new Map();
/** How many attributes are offered instead of a search. */
const BEGINNINGS = 3;

/** Returns conditions that an index can answer, which a search is not. */
function beginningsOf(search: string, class_: ModelClass): readonly AttributeCondition[] {
  if (!search) return [];
  const attributes = searchedAttributes(class_).slice(0, BEGINNINGS);
  return attributes.map(({ name }) => ({ field: name, operator: "starts_with", value: search }));
}

/** Why the service refuses a list, with ways to ask for less. */
function Refusal({ list: { class_, query, state, change } }: { readonly list: List }) {
  const { kind } = asServiceError(query.error);
  const model = useModel();
  const member = useMember();
  const isRefused = kind === "REFUSED" || kind === "UNAVAILABLE";
  const beginnings = beginningsOf(state.search, class_);
  return (
    <div className="card">
      <ErrorState error={query.error} onRetry={() => query.refetch()} />
      {isRefused && beginnings.length > 0 && (
        <div className="list-refusal">
          <p className="quiet">
            {t("A search reads all objects. If there are too many, look for the beginning of a text:")}
          </p>
          <div className="empty-actions">
            {beginnings.map((condition) => (
              <Button
                key={condition.field}
                onPress={() => change({ search: "", conditions: [...state.conditions, condition] })}
              >
                {conditionSentence(condition, class_, { model, member, labels: NO_LABELS })}
              </Button>
            ))}
          </div>
        </div>
      )}
      {isRefused && (
        <div className="empty-actions list-refusal">
          {state.place.kind !== "first" && (
            <Button onPress={() => change({})}>{t("Go to the first page")}</Button>
          )}
          {state.order.length > 0 && (
            <Button onPress={() => change({ order: [] })}>{t("Remove the sorting")}</Button>
          )}
          {isNarrowed(state) && (
            <Button onPress={() => change({ ...EVERYTHING, order: state.order })}>
              {t("Clear search and filters")}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
