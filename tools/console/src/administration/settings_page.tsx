// The settings in force: each environment variable, its value, and whether that is the default.

import { useState } from "react";
import { Badge, EmptyState } from "../components/feedback";
import { Checkbox, SearchField } from "../components/field";
import "../components/table.css";
import { t } from "../messages/messages";
import { ServiceFrame } from "./service_frame";
import type { ServiceReport, SettingReport } from "./service_report";
import { isChanged } from "./settings";

export default function SettingsPage() {
  return <ServiceFrame>{(report) => <Settings report={report} />}</ServiceFrame>;
}

function Settings({ report }: { readonly report: ServiceReport }) {
  const [search, setSearch] = useState("");
  const [isOnlyChanged, setOnlyChanged] = useState(false);
  const shown = report.settings.filter(
    (setting) => matches(setting, search) && (!isOnlyChanged || isChanged(setting)),
  );
  return (
    <>
      <p className="quiet">
        {t(
          "Settings are environment variables. The service reads them when it starts, and shows no secrets.",
        )}
      </p>
      <div className="toolbar">
        <SearchField label={t("Search settings")} value={search} onChange={setSearch} />
        <Checkbox isSelected={isOnlyChanged} onChange={setOnlyChanged}>
          {t("Only what differs from the default")}
        </Checkbox>
      </div>
      <div className="table-frame">
        {shown.length === 0 ? (
          <EmptyState title={t("No setting matches")}>
            {t("Change the search, or show all settings.")}
          </EmptyState>
        ) : (
          <table className="table settings">
            <thead>
              <tr>
                <th>{t("Setting")}</th>
                <th>{t("Value")}</th>
                <th>{t("Origin")}</th>
              </tr>
            </thead>
            <tbody>
              {shown.map((setting) => (
                <tr key={setting.name}>
                  <td>
                    <code>{setting.name}</code>
                    <p className="quiet">{setting.description}</p>
                  </td>
                  <td>
                    <Value {...setting} />
                  </td>
                  <td className="is-narrow">
                    <Origin {...setting} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </div>
    </>
  );
}

function matches({ name, description }: SettingReport, search: string): boolean {
  const wanted = search.trim().toLocaleLowerCase();
  return [name, description].some((text) => text.toLocaleLowerCase().includes(wanted));
}

function Value({ value, isSet }: SettingReport) {
  if (isSet !== undefined) return <Badge>{isSet ? t("Secret, set") : t("Secret, not set")}</Badge>;
  if (value === null || value === "" || value === undefined)
    return <span className="cell-nothing">{t("none")}</span>;
  return <code className="user-text">{value}</code>;
}

function Origin(setting: SettingReport) {
  if (setting.isSet !== undefined) return null;
  if (isChanged(setting)) return <Badge kind="info">{t("Changed")}</Badge>;
  return <span className="quiet">{t("Default")}</span>;
}
