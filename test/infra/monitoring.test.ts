/** Where telemetry goes: workspace, table, rule, component, diagnostic settings, budget and lock. */
import { describe, expect, it } from "vitest";
import { metricsColumns } from "../support/infra/code-facts.ts";
import {
  allOf,
  bodyOf,
  deployedWith,
  environmentNames,
  environments,
  onlyOf,
  propertiesOf,
} from "../support/infra/environments.ts";

const retention = { development: 90, test: 90, production: 365 };
const dailyCap = { development: 1, test: 5, production: -1 };
const columns = Object.entries(metricsColumns).map(([name, type]) => ({ name, type: String(type) }));

describe.each(environmentNames)("The %s environment", (name) => {
  const deployment = environments[name];
  const workspace = onlyOf(deployment, "workspace");

  it("Keeps logs for its number of days, up to its daily cap, in a workspace without a shared key", () => {
    expect(propertiesOf(workspace)).toEqual({
      sku: { name: "PerGB2018" },
      retentionInDays: retention[name],
      workspaceCapping: { dailyQuotaGb: dailyCap[name] },
      features: { disableLocalAuth: true, enableLogAccessUsingOnlyResourcePermissions: true },
    });
  });

  it("Has a table with the columns of a metrics row, in that workspace and for that time", () => {
    const table = onlyOf(deployment, "table");
    expect(table.id).toBe(`${workspace.id}/tables/VmrGatewayMetrics_CL`);
    expect(propertiesOf(table)).toEqual({
      plan: "Analytics",
      retentionInDays: retention[name],
      schema: {
        name: "VmrGatewayMetrics_CL",
        columns: columns.map((column) => ({
          ...column,
          type: column.type === "datetime" ? "dateTime" : column.type,
        })),
      },
    });
  });

  it("Takes metrics rows by a rule of its own, unchanged, into that workspace", () => {
    const rule = onlyOf(deployment, "dataCollectionRule");
    const stream = "Custom-VmrGatewayMetrics_CL";
    expect(bodyOf(rule)["kind"]).toBe("Direct");
    expect(propertiesOf(rule)).toEqual({
      streamDeclarations: { [stream]: { columns } },
      destinations: { logAnalytics: [{ name: "workspace", workspaceResourceId: workspace.id }] },
      dataFlows: [
        { streams: [stream], destinations: ["workspace"], transformKql: "source", outputStream: stream },
      ],
    });
  });

  it("Writes telemetry with Entra ID only, into that workspace", () => {
    expect(bodyOf(onlyOf(deployment, "insights"))).toEqual({
      kind: "web",
      properties: {
        Application_Type: "web",
        WorkspaceResourceId: workspace.id,
        DisableLocalAuth: true,
      },
    });
  });

  it("Records who reads secrets, who changes blobs and messages, and what host and API Management say", () => {
    const logs = (...categories: string[]) => categories.map((category) => ({ category, enabled: true }));
    const storage = onlyOf(deployment, "storage").id;
    const expected = new Map<string, unknown>([
      [onlyOf(deployment, "vault").id, [{ categoryGroup: "audit", enabled: true }]],
      [`${storage}/blobServices/default`, logs("StorageWrite", "StorageDelete")],
      [`${storage}/queueServices/default`, logs("StorageDelete")],
      [onlyOf(deployment, "app").id, logs("FunctionAppLogs")],
    ]);
    if (name !== "development") expected.set(onlyOf(deployment, "apiManagement").id, logs("GatewayLogs"));
    const found = allOf(deployment, "diagnostics");
    expect(new Map(found.map((setting) => [setting.fields.scopeId, propertiesOf(setting)["logs"]]))).toEqual(
      expected,
    );
    expect(new Set(found.map((setting) => propertiesOf(setting)["workspaceId"]))).toEqual(
      new Set([workspace.id]),
    );
  });
});

it("API Management writes one table of its own and not the old common one", () => {
  const settings = allOf(environments.test, "diagnostics").map(propertiesOf);
  const ofApiManagement = settings.filter((setting) => setting["logAnalyticsDestinationType"] !== undefined);
  expect(ofApiManagement.map((setting) => setting["logAnalyticsDestinationType"])).toEqual(["Dedicated"]);
});

it("Production mails at 80 and 100 percent of its budget", () => {
  const mail = (threshold: number) => ({
    enabled: true,
    operator: "GreaterThanOrEqualTo",
    threshold,
    thresholdType: "Actual",
    contactEmails: ["platform-team@example.com"],
  });
  expect(propertiesOf(onlyOf(environments.production, "budget"))).toEqual({
    category: "Cost",
    amount: 1200,
    timeGrain: "Monthly",
    timePeriod: { startDate: "2026-12-01" },
    notifications: { over80Percent: mail(80), over100Percent: mail(100) },
  });
});

it("Production cannot be deleted by accident", () => {
  expect(propertiesOf(onlyOf(environments.production, "lock"))["level"]).toBe("CanNotDelete");
  expect(onlyOf(environments.production, "lock").fields.scopeId).toBe(
    onlyOf(environments.production, "resourceGroup").id,
  );
});

it("The workbook belongs to the workspace and shows this app's telemetry", () => {
  for (const name of environmentNames) {
    const { sourceId, serializedData, category } = propertiesOf(onlyOf(environments[name], "workbook"));
    const workspaceId = onlyOf(environments[name], "workspace").id;
    expect([sourceId, category]).toEqual([workspaceId, "workbook"]);
    const { fallbackResourceIds, items } = JSON.parse(String(serializedData));
    expect(fallbackResourceIds).toEqual([workspaceId]);
    expect(JSON.stringify(items)).toContain(
      `AppRoleName =~ \\"${onlyOf(environments[name], "app").fields.name}\\"`,
    );
    expect(String(serializedData)).not.toMatch(/__\w+__/);
  }
});

it("An environment without alerts still has its workbook", () => {
  expect(allOf(deployedWith("test", { alerts: false }), "workbook")).toHaveLength(1);
  expect(allOf(deployedWith("test", { alerts: false }), "alertRule")).toEqual([]);
});
