// The form with which a member signs in.

import "./sign_in_page.css";
import { Layers } from "lucide-react";
import { type FormEvent, useState } from "react";
import { Form } from "react-aria-components";
import { Button } from "../components/button";
import { Banner } from "../components/feedback";
import { TextField } from "../components/field";
import { t } from "../messages/messages";
import { asServiceError } from "../service/errors";
import { serviceSettings } from "../service/settings";
import { session } from "./session";

export function SignInPage() {
  const { application, addresses } = serviceSettings();
  const [error, setError] = useState("");
  const [isPending, setPending] = useState(false);

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setPending(true);
    setError("");
    try {
      await session.signIn(String(form.get("username")), String(form.get("password")));
    } catch (failure) {
      setError(asServiceError(failure).message);
      setPending(false);
    }
  }

  return (
    <div className="sign-in">
      <main className="card">
        <div className="sign-in-heading">
          <Layers className="sign-in-mark" aria-hidden />
          <h1>{t("Sign in to {application}", { application })}</h1>
        </div>
        {error && <Banner kind="error">{error}</Banner>}
        <Form onSubmit={submit}>
          <TextField
            label={t("Username")}
            name="username"
            autoComplete="username"
            spellCheck="false"
            autoFocus
          />
          <TextField label={t("Password")} name="password" type="password" autoComplete="current-password" />
          <Button type="submit" variant="primary" isPending={isPending}>
            {t("Sign in")}
          </Button>
        </Form>
        <a href={addresses.forgotPassword}>{t("Forgot your password?")}</a>
      </main>
    </div>
  );
}
