// The page on which a member signs in. It stands at every address, so that the member comes to the page behind it.

import "./sign_in_page.css";
import { Layers } from "lucide-react";
import { useEffect, useState } from "react";
import { t } from "../messages/messages";
import { serviceSettings } from "../service/settings";
import { leadToProvider, takeFailure } from "./provider";
import { SignInForm } from "./sign_in_form";
import { useSession } from "./use_session";

export function SignInPage() {
  const { application } = serviceSettings();
  const { isOutElsewhere } = useSession();
  const [failure] = useState(takeFailure);
  const title = t("Sign in to {application}", { application });
  useEffect(() => {
    document.title = title;
  }, [title]);
  return (
    <div className="sign-in">
      <main className="card">
        <div className="sign-in-heading">
          <Layers className="sign-in-mark" aria-hidden />
          <h1>{title}</h1>
          {isOutElsewhere && <p className="quiet">{t("You signed out in another tab.")}</p>}
        </div>
        <SignInForm notice={failure} onProvider={leadToProvider} />
      </main>
    </div>
  );
}
