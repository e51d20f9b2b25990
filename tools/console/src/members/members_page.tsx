// All members, for administrators.

import "../components/table.css";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { Bot, UserPlus, Users } from "lucide-react";
import { useDeferredValue, useState } from "react";
import { Link, useSearchParams } from "wouter";
import { paths } from "../app/routes";
import { Button } from "../components/button";
import { Badge, EmptyState, ErrorState, Loading } from "../components/feedback";
import { SearchField, SelectField } from "../components/field";
import { useModel } from "../description/use_model";
import { plural, t } from "../messages/messages";
import { useMember } from "../session/member";
import { MembersFrame } from "./members_frame";
import { type ListedMember, type MemberFilter, membersQuery } from "./members_query";
import { NewMemberDialog } from "./new_member_dialog";

export default function MembersPage() {
  const [created, setCreated] = useState<"person" | "program" | null>(null);
  const [parameters, setParameters] = useSearchParams();
  const filter: MemberFilter = {
    search: parameters.get("search") ?? "",
    profile: parameters.get("profile") ?? "",
    state: stateOf(parameters.get("state")),
  };

  function change(changed: Partial<MemberFilter>) {
    const next = { ...filter, ...changed };
    setParameters(
      (former) => {
        for (const [name, value] of Object.entries(next)) {
          if (value) former.set(name, value);
          else former.delete(name);
        }
        return former;
      },
      { replace: true },
    );
  }

  return (
    <MembersFrame
      actions={
        <>
          <Button icon={Bot} onPress={() => setCreated("program")}>
            {t("Create a program")}
          </Button>
          <Button icon={UserPlus} variant="primary" onPress={() => setCreated("person")}>
            {t("Invite a member")}
          </Button>
        </>
      }
    >
      <Filters filter={filter} onChange={change} />
      <MemberList filter={filter} />
      {created && <NewMemberDialog kind={created} onClose={() => setCreated(null)} />}
    </MembersFrame>
  );
}

function stateOf(text: string | null): MemberFilter["state"] {
  return text === "active" || text === "disabled" ? text : "";
}

interface FiltersProps {
  readonly filter: MemberFilter;
  readonly onChange: (changed: Partial<MemberFilter>) => void;
}

function Filters({ filter, onChange }: FiltersProps) {
  const { profiles } = useModel();
  return (
    <search className="filter-bar">
      <SearchField
        label={t("Search by username or email address")}
        value={filter.search}
        onChange={(search) => onChange({ search })}
      />
      <SelectField
        label={t("Profile")}
        value={filter.profile}
        onChange={(profile) => onChange({ profile })}
        choices={[
          { value: "", label: t("All profiles") },
          ...profiles.map(({ name }) => ({ value: name, label: name })),
        ]}
      />
      <SelectField
        label={t("State")}
        value={filter.state}
        onChange={(state) => onChange({ state: stateOf(state) })}
        choices={[
          { value: "", label: t("All states") },
          { value: "active", label: t("Active") },
          { value: "disabled", label: t("Disabled") },
        ]}
      />
    </search>
  );
}

function MemberList({ filter }: { readonly filter: MemberFilter }) {
  const search = useDeferredValue(filter.search);
  const query = useInfiniteQuery({
    ...membersQuery({ ...filter, search }),
    placeholderData: keepPreviousData,
  });
  if (query.isPending) return <Loading />;
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  const members = query.data.pages.flatMap(({ items }) => items);
  const total = query.data.pages[0]?.totalCount ?? 0;
  if (members.length === 0) {
    return (
      <div className="card">
        <EmptyState icon={Users} title={t("No member matches")}>
          {t("Search for a part of a username or of an email address.")}
        </EmptyState>
      </div>
    );
  }
  return (
    <>
      <MemberTable members={members} />
      <div className="toolbar">
        <span className="quiet" role="status">
          {members.length < total
            ? t("{shown} of {total} members", { shown: members.length, total })
            : plural(total, "{count} member", "{count} members")}
        </span>
        {query.hasNextPage && (
          <Button isSmall isPending={query.isFetchingNextPage} onPress={() => void query.fetchNextPage()}>
            {t("Show more")}
          </Button>
        )}
      </div>
    </>
  );
}

function MemberTable({ members }: { readonly members: readonly ListedMember[] }) {
  const own = useMember();
  return (
    <div className="table-frame">
      <table className="table">
        <thead>
          <tr>
            <th>{t("Username")}</th>
            <th>{t("Email address")}</th>
            <th>{t("Profile")}</th>
            <th>{t("State")}</th>
          </tr>
        </thead>
        <tbody>
          {members.map((each) => (
            <tr key={each._id}>
              <td>
                <span className="cell-line">
                  <Link href={paths.member(each._id)} className="user-text">
                    {each.username}
                  </Link>
                  {each._id === own.id && <Badge kind="info">{t("You")}</Badge>}
                  {!each.email && <Badge icon={Bot}>{t("Program")}</Badge>}
                </span>
              </td>
              <td>
                {each.email ? (
                  <span className="cell-text">{each.email}</span>
                ) : (
                  <span className="cell-nothing">—</span>
                )}
              </td>
              <td className="user-text">{each.profile}</td>
              <td>
                {each.disabled ? (
                  <Badge kind="error">{t("Disabled")}</Badge>
                ) : (
                  <span className="quiet">{t("Active")}</span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
