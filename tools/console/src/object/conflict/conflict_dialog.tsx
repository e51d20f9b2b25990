// The dialog for two members who have changed the same object: both states side by side, and a choice per field.

import "./conflict.css";
import { useMemo, useState } from "react";
import { Radio, RadioGroup } from "react-aria-components";
import { Button } from "../../components/button";
import { Dialog, DialogButtons } from "../../components/dialog";
import { Badge, Banner } from "../../components/feedback";
import { FieldLabel } from "../../components/field";
import type { Model, ModelClass } from "../../description/model";
import type { StoredObject } from "../../description/stored_object";
import { useModel } from "../../description/use_model";
import { plural, t } from "../../messages/messages";
import { asServiceError } from "../../service/errors";
import type { Draft } from "../draft";
import { draftOf } from "../reading";
import { ChangeValue, changeTitle } from "./change_text";
import { type Change, merge, type Side } from "./merge";
import { withUnread } from "./unread";

interface ConflictDialogProps {
  readonly class_: ModelClass;
  /** The object as this member has opened it. */
  readonly base: Draft;
  readonly mine: Draft;
  /** The object as another member has saved it meanwhile: `current` of the issue. */
  readonly theirs: StoredObject;
  /**
   * Saves a draft of what the member has chosen, and returns when that is done.
   *
   * `original` is what is stored now, so the draft is compared with it and saved with its revision.
   *
   * The dialog shows why a promise is rejected. If there is a newer revision again, it gets a new `theirs`.
   */
  readonly onResolve: (draft: Draft, original: Draft) => unknown;
  readonly onClose: () => void;
}

export default function ConflictDialog(props: ConflictDialogProps) {
  // What was chosen between two states says nothing of a third one.
  return <Conflict key={props.theirs._revision} {...props} />;
}

function Conflict({ class_, base, mine, theirs, onResolve, onClose }: ConflictDialogProps) {
  const model = useModel();
  const [choices, setChoices] = useState<ReadonlyMap<string, Side>>(new Map());
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState("");
  const original = useMemo(
    () => withUnread(base, draftOf(model, class_, theirs), theirs),
    [model, class_, base, theirs],
  );
  const merged = useMemo(() => merge(model, base, mine, original), [model, base, mine, original]);
  const chosen = merged.changes.filter(({ outcome }) => outcome === "choose");
  const automatic = merged.changes.filter(({ outcome }) => outcome !== "choose");
  const open = chosen.filter(({ key }) => !choices.has(key)).length;
  const title = (change: Change) => changeTitle(change, [mine, original, base]);

  function choose(side: Side, changes: readonly Change[]): void {
    setChoices(new Map([...choices, ...changes.map(({ key }) => [key, side] as const)]));
  }

  async function save(): Promise<void> {
    setPending(true);
    setError("");
    try {
      await onResolve(merged.resolve(choices), original);
    } catch (failure) {
      setError(asServiceError(failure).message);
    } finally {
      setPending(false);
    }
  }

  return (
    <Dialog title={t("Somebody else has changed this object")} isOpen isWide isStrict onClose={onClose}>
      <p className="quiet">
        <Who theirs={theirs} /> {t("Nothing is lost: what only one of you has changed is kept.")}
      </p>
      {chosen.length > 0 && (
        <section className="conflict-choices" aria-label={t("Changed by both of you")}>
          <div className="conflict-heading">
            <h3>{t("Changed by both of you")}</h3>
            {chosen.length > 1 && (
              <div className="toolbar">
                <Button isSmall variant="quiet" onPress={() => choose("mine", chosen)}>
                  {t("All yours")}
                </Button>
                <Button isSmall variant="quiet" onPress={() => choose("theirs", chosen)}>
                  {t("All theirs")}
                </Button>
              </div>
            )}
          </div>
          {chosen.map((change) => (
            <Choice
              key={change.key}
              model={model}
              change={change}
              title={title(change)}
              side={choices.get(change.key) ?? null}
              onChoose={(side) => choose(side, [change])}
            />
          ))}
        </section>
      )}
      {automatic.length > 0 && <Automatic model={model} changes={automatic} title={title} />}
      {merged.changes.length === 0 && (
        <Banner kind="info">{t("Both of you have made the same changes.")}</Banner>
      )}
      {error && <Banner kind="error">{error}</Banner>}
      <DialogButtons>
        {open > 0 && (
          <span className="quiet conflict-open" role="status">
            {plural(open, "Choose in {count} more field", "Choose in {count} more fields")}
          </span>
        )}
        <Button onPress={onClose}>{t("Go on editing")}</Button>
        <Button variant="primary" isDisabled={open > 0} isPending={isPending} onPress={() => void save()}>
          {t("Save both changes")}
        </Button>
      </DialogButtons>
    </Dialog>
  );
}

/** Says who has saved the object, if the member may know. */
function Who({ theirs }: { readonly theirs: StoredObject }) {
  const [member, instant] = [theirs["_lastmodifiedby"], theirs["_lastmodifiedon"]];
  if (typeof member !== "string") return t("Another member saved it after you had opened it.");
  if (typeof instant !== "string") return t("{member} saved it after you had opened it.", { member });
  return t("{member} saved it on {instant}, after you had opened it.", { member, instant });
}

interface ChoiceProps {
  readonly model: Model;
  readonly change: Change;
  readonly title: string;
  readonly side: Side | null;
  readonly onChoose: (side: Side) => void;
}

function Choice({ model, change, title, side, onChoose }: ChoiceProps) {
  return (
    <RadioGroup
      className="conflict-choice"
      value={side}
      onChange={(value) => onChoose(value as Side)}
      orientation="horizontal"
    >
      <FieldLabel>
        <span className="user-text">{title}</span>
      </FieldLabel>
      <p className="conflict-base">
        {t("Before:")} <ChangeValue model={model} change={change} side="base" />
      </p>
      <div className="conflict-sides">
        {(["mine", "theirs"] as const).map((each) => (
          <Radio key={each} value={each} className="conflict-side">
            <span className="conflict-radio" aria-hidden />
            <span>
              <span className="conflict-side-name">{each === "mine" ? t("Yours") : t("Theirs")}</span>
              <ChangeValue model={model} change={change} side={each} />
            </span>
          </Radio>
        ))}
      </div>
    </RadioGroup>
  );
}

interface AutomaticProps {
  readonly model: Model;
  readonly changes: readonly Change[];
  readonly title: (change: Change) => string;
}

/** Lists what only one of the members has changed. */
function Automatic({ model, changes, title }: AutomaticProps) {
  return (
    <section className="conflict-automatic" aria-label={t("Changed by one of you")}>
      <h3>{t("Changed by one of you")}</h3>
      <ul>
        {changes.map((change) => (
          <li key={change.key}>
            <span className="user-text conflict-name">{title(change)}</span>
            <Badge kind={change.outcome === "mine" ? "info" : "warning"}>
              {change.outcome === "mine" ? t("Yours") : t("Theirs")}
            </Badge>
            <span>
              <ChangeValue
                model={model}
                change={change}
                side={change.outcome === "mine" ? "mine" : "theirs"}
              />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
