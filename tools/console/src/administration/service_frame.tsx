// The frame of the pages about the service: tabs, and the states of their one request.

import "./administration.css";
import { useQuery } from "@tanstack/react-query";
import { RotateCw, ShieldOff } from "lucide-react";
import type { ReactNode } from "react";
import { paths } from "../app/routes";
import { Button, ButtonLink } from "../components/button";
import { EmptyState, ErrorState, Loading } from "../components/feedback";
import { Page, Tabs } from "../components/layout";
import { useModel } from "../description/use_model";
import { t } from "../messages/messages";
import { type ServiceReport, serviceQuery } from "./service_report";

interface ServiceFrameProps {
  readonly children: (report: ServiceReport) => ReactNode;
}

/** A page about the service. Only administrators cause a request. */
export function ServiceFrame({ children }: ServiceFrameProps) {
  const { isAdministrator } = useModel();
  return isAdministrator ? <Frame>{children}</Frame> : <OnlyAdministrators />;
}

function Frame({ children }: ServiceFrameProps) {
  const { data, error, isFetching, refetch } = useQuery(serviceQuery);
  return (
    <Page
      title={t("Service")}
      actions={
        <Button icon={RotateCw} isPending={isFetching} onPress={() => void refetch()}>
          {t("Refresh")}
        </Button>
      }
    >
      <Tabs
        label={t("Service")}
        tabs={[
          { label: t("Overview"), to: paths.service() },
          { label: t("Model"), to: paths.service("model") },
          { label: t("Indexes"), to: paths.service("indexes") },
          { label: t("Changes"), to: paths.service("changes") },
          { label: t("Settings"), to: paths.service("settings") },
        ]}
      />
      {error && !isFetching ? (
        <div className="card">
          <ErrorState error={error} onRetry={() => void refetch()} />
        </div>
      ) : data ? (
        children(data)
      ) : (
        <Loading />
      )}
    </Page>
  );
}

function OnlyAdministrators() {
  return (
    <Page title={t("Service")}>
      <div className="card">
        <EmptyState
          icon={ShieldOff}
          title={t("This page is for administrators")}
          actions={<ButtonLink to={paths.home()}>{t("Go to the start")}</ButtonLink>}
        >
          {t("Ask an administrator of the service if you need to know something about it.")}
        </EmptyState>
      </div>
    </Page>
  );
}
