// The lock of an object on its page: a switch to take it, or a banner that says who has it and until when.

import "./lock.css";
import { Lock as LockIcon, LockOpen } from "lucide-react";
import { useState } from "react";
import { Button } from "../../components/button";
import { ConfirmDialog } from "../../components/dialog";
import { Banner } from "../../components/feedback";
import { Switch } from "../../components/switch";
import { showToast } from "../../components/toast";
import type { ModelClass } from "../../description/model";
import { useModel } from "../../description/use_model";
import { t } from "../../messages/messages";
import { asServiceError } from "../../service/errors";
import { isLockable, type Lock } from "./lock_requests";
import { type HeldLock, useLock } from "./use_lock";

interface LockBarProps {
  readonly class_: ModelClass;
  readonly id: string;
  /** The lock as the page's document has read it with `LOCK_FIELD`. Without it, the bar reads it. */
  readonly lock?: Lock | null | undefined;
  /** Whether the member may edit the object, now. */
  readonly isEditable?: boolean;
}

export function LockBar({ class_, id, lock, isEditable = true }: LockBarProps) {
  const held = useLock(class_, id, { initial: lock, isEnabled: isEditable });
  const [error, setError] = useState("");
  if (!isEditable || !isLockable(class_)) return null;

  async function attempt(action: () => Promise<void>): Promise<void> {
    setError("");
    try {
      await action();
    } catch (failure) {
      setError(asServiceError(failure).message);
    }
  }

  const isOthers = held.lock !== null && !held.lock.mine;
  return (
    <div className="lock-bar">
      {isOthers && held.lock && <LockedBanner held={held} lock={held.lock} />}
      {held.isLost && <LostBanner held={held} onTake={() => attempt(held.take)} />}
      {held.isFree && <FreeBanner held={held} onTake={() => attempt(held.take)} />}
      {!isOthers && !held.isLost && !held.isFree && (
        <LockSwitch held={held} onChange={(isOn) => void attempt(isOn ? held.take : held.release)} />
      )}
      {error && !isOthers && <Banner kind="error">{error}</Banner>}
    </div>
  );
}

interface LockSwitchProps {
  readonly held: HeldLock;
  readonly onChange: (isOn: boolean) => void;
}

function LockSwitch({ held, onChange }: LockSwitchProps) {
  const { lock } = held;
  return (
    <div className="lock-switch">
      <Switch isSelected={lock?.mine === true} isDisabled={held.isBusy} onChange={onChange}>
        {t("Lock while I edit")}
      </Switch>
      <span className="quiet" role="status">
        {lock?.mine
          ? t("Nobody else can save changes until {instant}.", { instant: lock.lockedUntil })
          : null}
      </span>
    </div>
  );
}

/** Says who has the lock. An administrator can end it. */
function LockedBanner({ held, lock }: { readonly held: HeldLock; readonly lock: Lock }) {
  const { isAdministrator } = useModel();
  const [isAsking, setAsking] = useState(false);
  const member = lock.lockedBy;
  return (
    <Banner
      kind="warning"
      actions={
        <div className="lock-actions">
          <Switch isSelected={held.isAwaited} onChange={held.setAwaited}>
            {t("Tell me when it is free")}
          </Switch>
          {isAdministrator && (
            <Button isSmall icon={LockOpen} onPress={() => setAsking(true)}>
              {t("End the lock")}
            </Button>
          )}
          <ConfirmDialog
            title={t("End the lock of {member}?", { member })}
            isOpen={isAsking}
            onClose={() => setAsking(false)}
            action={t("End the lock")}
            variant="danger"
            onConfirm={async () => {
              await held.release();
              showToast(t("The lock of {member} has ended.", { member }));
            }}
          >
            <p>
              {t(
                "{member} is told, and loses nothing that is filled in. If both of you save, the second one chooses between both states.",
                { member },
              )}
            </p>
          </ConfirmDialog>
        </div>
      }
    >
      <strong className="user-text">
        {t("{member} has locked this object until {instant}.", { member, instant: lock.lockedUntil })}
      </strong>{" "}
      {t("You can read it. The service refuses changes until then.")}
    </Banner>
  );
}

interface NoticeProps {
  readonly held: HeldLock;
  readonly onTake: () => void;
}

function LostBanner({ held, onTake }: NoticeProps) {
  return (
    <Banner
      kind="warning"
      actions={
        <div className="lock-actions">
          {held.lock === null && (
            <Button isSmall icon={LockIcon} onPress={onTake}>
              {t("Lock again")}
            </Button>
          )}
          <Button isSmall variant="quiet" onPress={held.acknowledge}>
            {t("Close")}
          </Button>
        </div>
      }
    >
      <strong>{t("Your lock has ended.")}</strong>{" "}
      {t(
        "It has expired, or an administrator has ended it. What you have filled in is still here. If somebody else saves first, you choose between both states.",
      )}
    </Banner>
  );
}

function FreeBanner({ held, onTake }: NoticeProps) {
  return (
    <Banner
      kind="done"
      actions={
        <div className="lock-actions">
          <Button isSmall icon={LockIcon} onPress={onTake}>
            {t("Lock while I edit")}
          </Button>
          <Button isSmall variant="quiet" onPress={held.acknowledge}>
            {t("Close")}
          </Button>
        </div>
      }
    >
      <strong>{t("This object is free now.")}</strong> {t("You can change it.")}
    </Banner>
  );
}
