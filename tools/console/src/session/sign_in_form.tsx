// The form that signs in: a username and a password, and the identity providers.

import "./sign_in_form.css";
import { useQuery } from "@tanstack/react-query";
import { LogIn } from "lucide-react";
import { type FormEvent, useState } from "react";
import { Form } from "react-aria-components";
import { Button } from "../components/button";
import { Banner } from "../components/feedback";
import { TextField } from "../components/field";
import { PasswordField } from "../components/password_field";
import { plural, t } from "../messages/messages";
import { asServiceError, type ServiceError } from "../service/errors";
import { serviceSettings } from "../service/settings";
import { providersOf, type Way, waysQuery } from "./provider";
import { session } from "./session";

interface SignInFormProps {
  /** The member who is asked to sign in again. Without it, anybody can sign in. */
  readonly username?: string | null;
  /** What is said at first. */
  readonly notice?: string | null;
  /** Signs in with a provider. */
  readonly onProvider: (way: Way) => Promise<void>;
}

export function SignInForm({ username = null, notice = null, onProvider }: SignInFormProps) {
  const { data: ways } = useQuery(waysQuery);
  const [error, setError] = useState(notice);
  const [isPending, setPending] = useState(false);

  async function attempt(task: () => Promise<void>) {
    setPending(true);
    setError(null);
    try {
      await task();
    } catch (failure) {
      setError(textOf(asServiceError(failure)));
    } finally {
      setPending(false);
    }
  }

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const password = String(form.get("password"));
    void attempt(() => session.signIn(String(form.get("username")), password));
  }

  return (
    <div className="sign-in-form">
      {error && <Banner kind="error">{error}</Banner>}
      <Form onSubmit={submit}>
        <TextField
          label={t("Username")}
          name="username"
          autoComplete="username"
          spellCheck="false"
          {...(username === null ? { autoFocus: true } : { value: username, isReadOnly: true })}
        />
        <PasswordField
          label={t("Password")}
          name="password"
          autoComplete="current-password"
          autoFocus={username !== null}
        />
        <Button type="submit" variant="primary" isPending={isPending}>
          {t("Sign in")}
        </Button>
      </Form>
      {providersOf(ways).map((way) => (
        <Button key={way.name} icon={LogIn} onPress={() => void attempt(() => onProvider(way))}>
          <span className="user-text">{t("Sign in with {provider}", { provider: way.label })}</span>
        </Button>
      ))}
      {/* In a tab of its own if the page behind the form must stay. */}
      <a
        href={serviceSettings().addresses.forgotPassword}
        {...(username === null ? {} : { target: "_blank" })}
      >
        {t("Forgot your password?")}
      </a>
    </div>
  );
}

function textOf({ message, retryAfter }: ServiceError): string {
  if (!retryAfter) return message;
  const minutes = Math.ceil(retryAfter / 60);
  const wait =
    retryAfter < 60
      ? plural(retryAfter, "Try again in {count} second.", "Try again in {count} seconds.")
      : plural(minutes, "Try again in {count} minute.", "Try again in {count} minutes.");
  return `${message} ${wait}`;
}
