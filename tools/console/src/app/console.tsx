// The console: the form to sign in, or the pages for the member who is signed in.

import { QueryClient, QueryClientProvider, QueryErrorResetBoundary } from "@tanstack/react-query";
import { SearchX } from "lucide-react";
import { Suspense, useEffect, useMemo } from "react";
import { I18nProvider, RouterProvider } from "react-aria-components";
import { Redirect, Route, Router, Switch, useLocation } from "wouter";
import { restoreAsOf, withAsOf } from "../as_of/as_of";
import { KeptInPast } from "../as_of/kept";
import { ButtonLink } from "../components/button";
import { EmptyState, Loading } from "../components/feedback";
import { Page } from "../components/layout";
import { LeaveDialog } from "../components/leave_dialog";
import { guarded, watchHistory } from "../components/leaving";
import { Toasts } from "../components/toast";
import { t, useLanguage } from "../messages/messages";
import { asServiceError } from "../service/errors";
import { MemberLanguage } from "../session/member_language";
import { SignInDialog } from "../session/sign_in_dialog";
import { SignInPage } from "../session/sign_in_page";
import { useSession } from "../session/use_session";
import { forgetUploads } from "../values/files/upload_storage";
import { ConnectionBanner } from "./connection_banner";
import { ErrorBoundary } from "./error_boundary";
import { paths, ROUTES } from "./routes";
import { Shell } from "./shell";

const RETRIED = new Set(["OFFLINE", "UNAVAILABLE"]);

function newClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        retry: (count, error) => count < 2 && RETRIED.has(asServiceError(error).kind),
        refetchOnWindowFocus: false,
        staleTime: 10_000,
      },
      // A form says at once that the service can't be reached, instead of waiting for it.
      mutations: { networkMode: "always" },
    },
  });
}

/** The path of the console, without a slash at its end. */
const BASE = new URL(document.baseURI).pathname.replace(/\/$/, "");

restoreAsOf();
watchHistory();

export function Console() {
  const language = useLanguage();
  const { status, member } = useSession();
  // Whoever signs in next must find nothing of this member.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each member has a cache of their own.
  const client = useMemo(newClient, [member]);
  useEffect(() => {
    if (status === "OUT") forgetUploads();
  }, [status]);
  return (
    <I18nProvider locale={language}>
      <QueryClientProvider client={client}>
        <Router
          base={BASE}
          hrefs={(href) => withAsOf(href)}
          aroundNav={(navigate, to, options) => guarded((how) => navigate(withAsOf(to), how), options)}
        >
          <Navigation>
            {status === "OUT" ? <SignInPage /> : <Pages key={`${member} ${language}`} />}
            <LeaveDialog />
            <Toasts />
          </Navigation>
        </Router>
      </QueryClientProvider>
    </I18nProvider>
  );
}

/** Lets react-aria's links and menus use the console's routes. */
function Navigation({ children }: { readonly children: React.ReactNode }) {
  const [, navigate] = useLocation();
  return <RouterProvider navigate={(to) => open(to, navigate)}>{children}</RouterProvider>;
}

/** Opens a route of the console, or another page of the service, whose address is relative to the console's. */
function open(to: string, navigate: (route: string) => void): void {
  if (to.startsWith("/")) navigate(to);
  else window.location.assign(new URL(to, document.baseURI));
}

function Pages() {
  return (
    <>
      <QueryErrorResetBoundary>
        {({ reset }) => (
          <ErrorBoundary onReset={reset}>
            <Suspense fallback={<Starting />}>
              <MemberLanguage />
              <Shell>
                <PageOfLocation onReset={reset} />
              </Shell>
            </Suspense>
          </ErrorBoundary>
        )}
      </QueryErrorResetBoundary>
      <SignInDialog />
    </>
  );
}

/** What stands there until the model and the member are read. */
function Starting() {
  return (
    <>
      <ConnectionBanner />
      <Loading />
    </>
  );
}

function PageOfLocation({ onReset }: { readonly onReset: () => void }) {
  const [location] = useLocation();
  return (
    <ErrorBoundary key={location} onReset={onReset}>
      <Suspense fallback={<Loading />}>
        <KeptInPast>
          <Switch>
            {ROUTES.map(({ path, Page: RoutePage }) => (
              <Route key={path} path={path}>
                {(params) => <RoutePage params={params as Record<string, string>} />}
              </Route>
            ))}
            <Route path="/console">
              <Redirect to={paths.home()} replace />
            </Route>
            <Route>
              <NoPage />
            </Route>
          </Switch>
        </KeptInPast>
      </Suspense>
    </ErrorBoundary>
  );
}

function NoPage() {
  return (
    <Page title={t("Page not found")}>
      <div className="card">
        <EmptyState
          icon={SearchX}
          title={t("This address leads nowhere")}
          actions={<ButtonLink to={paths.home()}>{t("Go to the start")}</ButtonLink>}
        >
          {t("What was here may have been renamed or deleted, or you may not see it.")}
        </EmptyState>
      </div>
    </Page>
  );
}
