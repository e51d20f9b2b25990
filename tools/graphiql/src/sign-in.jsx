// The form that gets a token, and the identity providers that lead to one.

import { useEffect, useRef, useState } from "react";

import { UNREACHABLE } from "./session.js";
import { leadToSignIn } from "./sign_in.js";

export function SignIn({ application, farewell, forgot, providers, signIn }) {
  const [error, setError] = useState(farewell);
  const [busy, setBusy] = useState(false);
  const alert = useRef(null);
  const first = useRef(null);

  useEffect(() => (error ? alert : first).current?.focus(), [error]);

  async function submit(event) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setError("");
    setBusy(true);
    try {
      await signIn(form.get("username"), form.get("password"));
    } catch (failure) {
      setBusy(false);
      setError(failure instanceof TypeError ? UNREACHABLE : failure.message);
    }
  }

  return (
    <main className="sign-in">
      <h1>
        <span className="application">{application}</span> Sign in to GraphiQL
      </h1>
      <div id="error" role="alert" tabIndex={-1} ref={alert}>
        {error}
      </div>
      <form onSubmit={submit} aria-busy={busy}>
        <label htmlFor="username">Username</label>
        <input
          id="username"
          name="username"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
          ref={first}
        />
        <label htmlFor="password">Password</label>
        <input id="password" name="password" type="password" autoComplete="current-password" required />
        <button type="submit" id="sign-in" disabled={busy}>
          {busy ? "Signing in…" : "Sign in"}
        </button>
      </form>
      <p>
        <a href={forgot}>Forgot your password?</a>
      </p>
      {providers.map(({ name, label, url }) => (
        <button type="button" className="provider" key={name} onClick={() => leadToSignIn(url)}>
          Sign in with {label}
        </button>
      ))}
    </main>
  );
}
