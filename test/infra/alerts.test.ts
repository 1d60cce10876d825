/** Alerts, workbook and documented queries are valid, keep to this app, and have receivers and runbooks. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { metricsColumns } from "../../src/lib/metrics/measurement.ts";
import { functionNames } from "../support/function-names.ts";
import { allOf, lastOf, onlyOf, type Snapshot, snapshotOf } from "../support/infra/snapshots.ts";
import { faultsOf } from "../support/kusto.ts";

const production = snapshotOf("production");
const existing = snapshotOf("existing");
const appName = onlyOf(production, "Web/sites").name;

const rulesOf = (snapshot: Snapshot) =>
  allOf(snapshot, "Insights/scheduledQueryRules").map((resource) => {
    const { enabled, windowSize, severity, actions, criteria, description } = resource.properties;
    const [{ query, threshold, operator, timeAggregation }] = criteria.allOf;
    const name = resource.name.replace(/^func-vmr-\w+-\w{13}-/, "");
    expect(enabled).toBe(true);
    const group = String(actions.actionGroups).split("-").at(-1);
    expect([operator, timeAggregation, actions.actionGroups.length]).toEqual([
      "GreaterThanOrEqual",
      "Count",
      1,
    ]);
    return {
      name,
      windowSize,
      severity,
      group,
      query: String(query),
      threshold: Number(threshold),
      description,
    };
  });
const rules = rulesOf(production);

const Workbook = z.object({
  items: z.array(
    z.object({
      name: z.string(),
      content: z.object({ title: z.string().optional(), query: z.string().optional() }),
    }),
  ),
});
const workbook = readFileSync("infra/workbook/workbook.json", "utf8")
  .replaceAll("__app__", appName)
  .replaceAll("__environment__", "production");
const panels = Workbook.parse(JSON.parse(workbook)).items.flatMap(({ name, content: { query, title } }) =>
  query === undefined ? [] : [{ name, query, title }],
);

/** Blocks of the language kusto in documents, and code in a line that begins with a table's name. */
const documented = readdirSync("docs", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".md"))
  .flatMap((file) => {
    const text = readFileSync(join("docs", file), "utf8");
    const blocks = [...text.matchAll(/```kusto\n([\s\S]*?)```/g)];
    const inLines = [
      ...text.matchAll(/`((?:App\w+|VmrGatewayMetrics_CL|ApiManagementGatewayLogs)\s*\|[^`]+)`/g),
    ];
    return [...blocks, ...inLines].map(([, query = ""], index) => ({
      name: `${file}, query ${index + 1}`,
      query,
    }));
  });

const source = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => readFileSync(join("src", name), "utf8"))
  .join("\n");
const events = [...source.matchAll(/log\.(?:info|warn|error)\(\s*"([\w-]+)"/g)].map(
  ([, event]) => event ?? "",
);
const codes = [...source.matchAll(/^ {2}"?([\w-]+)"?: \{ status: \d+/gm)].map(([, code]) => code ?? "");
const known = new Set([...events, "request", ...functionNames, ...codes, "unexpected", "event-sink"]);

test.each([...rules, ...rulesOf(existing), ...panels, ...documented])(
  "The query of $name is valid, and names only events, functions and fields that the app logs",
  ({ query }) => {
    expect(query).not.toMatch(/__\w+__/);
    expect(faultsOf(query)).toEqual([]);
    const compared = [
      ...query.matchAll(/(?:event|function|OperationName)\)? (?:==|!?in) (\([^)]*\)|"[^"]*")/g),
    ];
    const words = compared.flatMap(([, list = ""]) =>
      [...list.matchAll(/"([^"]*)"/g)].map(([, word]) => word ?? ""),
    );
    expect(words.filter((word) => !known.has(word))).toEqual([]);
    const read = [...query.matchAll(/\bentry\.(\w+)/g)].map(([, field]) => field ?? "");
    expect(read.filter((field) => !new RegExp(`\\b${field}\\b`).test(source))).toEqual([]);
  },
);

test("The runbooks read the log for events that the app logs", () => {
  const text = readFileSync("docs/operations.md", "utf8").replaceAll(/\s+/g, " ");
  const named = [...text.matchAll(/read the log for ([^.;:]+)[.;:]/gi)].flatMap(([, list = ""]) =>
    [...list.matchAll(/`([\w-]+)`/g)].map(([, event = ""]) => event),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((event) => !known.has(event))).toEqual([]);
});

test.each([...rules, ...panels])(
  "The query of $name reads only this app's rows in a shared workspace",
  ({ query }) => {
    const filters = [
      `AppRoleName =~ "${appName}"`,
      `App =~ "${appName}"`,
      `Name == "${appName}-health"`,
      'ApiId == "vmr-gateway-production"',
    ];
    const tables = query.match(/^(App\w+|VmrGatewayMetrics_CL|ApiManagementGatewayLogs)$/gm) ?? [];
    expect(tables).toHaveLength(1);
    expect(filters.filter((filter) => query.includes(filter))).toHaveLength(1);
  },
);

describe("Alerts", () => {
  test("Are eight queries and the event of the vault, each with its limits and receivers", () => {
    expect(
      rules.map(({ name, threshold, windowSize, severity, group }) => [
        name,
        threshold,
        windowSize,
        severity,
        group,
      ]),
    ).toEqual([
      ["creates-failing", 5, "PT15M", 1, "urgent"],
      ["deletion-queue-old", 1, "PT30M", 2, "routine"],
      ["event-sink-silent", 2, "PT15M", 1, "urgent"],
      ["health-check-failing", 6, "PT15M", 1, "urgent"],
      ["platform-unreachable", 2, "PT15M", 1, "urgent"],
      ["pool-empty-on-claim", 1, "PT15M", 1, "urgent"],
      ["server-errors", 5, "PT15M", 1, "urgent"],
      ["timers-not-running", 1, "P2D", 1, "urgent"],
    ]);
    const expiry = onlyOf(production, "EventGrid/systemTopics/eventSubscriptions").properties;
    expect(expiry["filter"].includedEventTypes).toEqual([
      "Microsoft.KeyVault.SecretNearExpiry",
      "Microsoft.KeyVault.SecretExpired",
    ]);
    expect(expiry["destination"].properties.actionGroups[0]).toMatch(/-routine$/);
  });

  test("Have conditions on one table that can be checked by reading", () => {
    const conditions = rules.map(({ query }) =>
      query
        .replaceAll(/^\/\/.*\n/gm, "")
        .trim()
        .split("\n"),
    );
    for (const lines of conditions)
      expect(lines.filter((line) => line.startsWith("| ")).length).toBeLessThanOrEqual(3);
    const byName = Object.fromEntries(
      rules.map(({ name }, index) => [name, conditions[index]?.slice(1).join(" ")]),
    );
    const app = `"${appName}"`;
    expect(byName).toEqual({
      "creates-failing": `| where AppRoleName =~ ${app} and OperationName in ("createRoomFromQueue", "createRoom") and toint(ResultCode) >= 500`,
      "deletion-queue-old": `| where App =~ ${app} and DeletionOldestSeconds > 3600`,
      "event-sink-silent": `| where App =~ ${app} and (InUseRooms - LiveConferences - DeletionDepth > 20 or AlarmNames contains "eventsink_maximum_backoff")`,
      "health-check-failing": `| where Name == "${appName}-health" and not(Success)`,
      "platform-unreachable": `| where App =~ ${app} and (not(PlatformConnected) or isnull(AvailableRooms))`,
      "pool-empty-on-claim": `| where AppRoleName =~ ${app} and tostring(parse_json(Message).event) == "pool-empty"`,
      "server-errors":
        '| where ApiId == "vmr-gateway-production" and ResponseCode >= 500 and not(OperationId startswith "create-room")',
      "timers-not-running": `| where App =~ ${app} | summarize Newest = max(TimeGenerated) | where Newest < ago(30m)`,
    });
  });

  test("Have a runbook in the documents, and every file of a query is used", () => {
    const text = readFileSync("docs/operations.md", "utf8");
    for (const name of [...rules.map((rule) => rule.name), "secret-expiring"])
      expect([name, text.match(new RegExp(`^## ${name}$`, "gm"))?.length]).toEqual([name, 1]);
    for (const { name, description } of rules) expect(description).toContain(`section ${name} `);
    const bicep = readFileSync("infra/observability.bicep", "utf8");
    for (const file of readdirSync("infra/alerts"))
      expect(bicep).toContain(`loadTextContent('alerts/${file}')`);
  });

  test("Read the app's own requests if API Management logs no calls", () => {
    const query = rulesOf(existing).find(({ name }) => name === "server-errors")?.query;
    expect(query).toContain("AppRequests");
    expect(query).toContain(
      'toint(ResultCode) >= 500 and OperationName !in ("createRoomFromQueue", "createRoom")',
    );
  });

  test("Use the limits that an environment overrides", () => {
    const found = rulesOf(existing).find(({ name }) => name === "event-sink-silent");
    expect(found).toMatchObject({ severity: 2, group: "routine", threshold: 2, windowSize: "PT15M" });
    expect(found?.query).toContain("> 7 or");
  });

  test("Notify by mail, text message and webhook", () => {
    const groups = allOf(production, "Insights/actionGroups").map(({ name, properties }) => [
      lastOf(name),
      properties,
    ]);
    expect(Object.fromEntries(groups)).toMatchObject({
      "ag-vmr-production-urgent": {
        enabled: true,
        emailReceivers: [{ emailAddress: "on-call-production@example.com" }],
        smsReceivers: [{ countryCode: "49", phoneNumber: "1701234567" }],
        webhookReceivers: [{ serviceUri: "https://call.example.com" }],
      },
      "ag-vmr-production-routine": {
        enabled: true,
        emailReceivers: [{ emailAddress: "platform-team@example.com" }],
      },
    });
  });
});

test("The availability test calls the URL that consumers use", () => {
  for (const snapshot of [production, existing]) {
    const { Enabled, Request, ValidationRules } = onlyOf(snapshot, "Insights/webtests").properties;
    const { HEALTH_URL, healthUrl } = snapshot.outputs;
    expect([Enabled, Request.RequestUrl]).toEqual([true, HEALTH_URL ?? healthUrl]);
    expect(ValidationRules).toMatchObject({ ExpectedHttpStatusCode: 200, SSLCheck: true });
  }
});

test("The metrics table has the columns of the code, and two that the rule adds", () => {
  const table = allOf(production, "OperationalInsights/workspaces/tables").find(({ id }) =>
    id.endsWith("_CL"),
  );
  const { streamDeclarations, dataFlows } = onlyOf(production, "Insights/dataCollectionRules").properties;
  const uploaded = streamDeclarations[dataFlows[0].streams[0]].columns;
  const named = (list: readonly { name: string; type: string }[]) =>
    list.map(({ name, type }) => [name, type.toLowerCase()]);
  expect(named(uploaded)).toEqual(Object.entries(metricsColumns));
  const added = [
    ["App", "string"],
    ["Environment", "string"],
  ];
  expect(named(table?.properties["schema"].columns)).toEqual([...named(uploaded), ...added]);
  expect(dataFlows[0].transformKql).toBe(`source | extend App = "${appName}", Environment = "production"`);
});

test("Every panel of the workbook has a unique name, a title and a time range", () => {
  expect(new Set(panels.map(({ name }) => name)).size).toBe(panels.length);
  expect(panels.filter(({ title }) => !title)).toEqual([]);
  expect(workbook.match(/"timeContextFromParameter": "TimeRange"/g)).toHaveLength(panels.length);
  expect(documented.length).toBeGreaterThan(8);
});

test.each([
  ["an unknown column", "AppTraces | where Mesage == 'a'"],
  ["an unknown table", "AppTrace | count"],
  ["a comparison of a number with a text", "AppRequests | where DurationMs startswith 2"],
])("The language service finds %s", (_, query) => {
  expect(faultsOf(query)).not.toEqual([]);
});
