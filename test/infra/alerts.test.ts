/** Alerts, workbook and documented queries are valid, keep to this app, and have receivers and runbooks. */
import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { metricsColumns } from "../../src/lib/metrics/measurement.ts";
import { functionNames } from "../../tools/simulators/memory/functions.ts";
import { alertOf, appName, firing, now, ofOthers, silent } from "../support/infra/alert-situations.ts";
import { allOf, onlyOf, type Snapshot, snapshotOf } from "../support/infra/snapshots.ts";
import { faultsOf } from "../support/kusto.ts";
import { type Row, runQuery } from "../support/kusto-rows.ts";

const production = snapshotOf("production");
const existing = snapshotOf("existing");

const rulesOf = (snapshot: Snapshot) =>
  allOf(snapshot, "Insights/scheduledQueryRules").map((resource) => {
    const { windowSize, severity, actions, criteria, description } = resource.properties;
    const [{ query, threshold, ...counting }] = criteria.allOf;
    const name = resource.name.replace(/^func-vmr-\w+-\w{13}-/, "");
    const always = { enabled: true, autoMitigate: true, evaluationFrequency: "PT5M" };
    expect(resource.properties).toMatchObject(always);
    const group = String(actions.actionGroups).split("-").at(-1);
    const failingPeriods = { minFailingPeriodsToAlert: 1, numberOfEvaluationPeriods: 1 };
    expect(counting).toEqual({ timeAggregation: "Count", operator: "GreaterThanOrEqual", failingPeriods });
    expect(actions.actionGroups).toHaveLength(1);
    return { name, threshold, windowSize, severity, group, query: String(query), description };
  });
const rules = rulesOf(production);
/** The alert of a gateway whose API Management does not log its calls. */
const withoutLog = rulesOf(existing)
  .filter(({ name }) => name === "server-errors")
  .map((rule) => ({
    ...rule,
    name: "server-errors-of-app",
    query: rule.query.replaceAll(onlyOf(existing, "Web/sites").name, appName),
  }));

const Panel = z.object({ name: z.string(), content: z.object({ query: z.string().optional() }) });
const Workbook = z.object({ items: z.array(Panel) });
const workbook = readFileSync("infra/workbook/workbook.json", "utf8")
  .replaceAll("__app__", appName)
  .replaceAll("__environment__", "production");
const panels = Workbook.parse(JSON.parse(workbook)).items.flatMap(({ name, content: { query } }) =>
  query === undefined ? [] : [{ name, query }],
);

/** The matches of a pattern's first group. */
const matchesIn = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, match = ""]) => match);

/** Blocks of the language kusto in documents, and code in a line that begins with a table's name. */
const inBlocks = /```kusto\n([\s\S]*?)```/g;
const inLines = /`((?:App\w+|VmrGatewayMetrics_CL|ApiManagementGatewayLogs)\s*\|[^`]+)`/g;
const documented = globSync(["*.md", "{docs,infra,tools}/**/*.md"]).flatMap((file) => {
  const text = readFileSync(file, "utf8")
    .replaceAll("<FUNCTION_APP_NAME>", appName)
    .replaceAll("<environment>", "production");
  const queries = [inBlocks, inLines].flatMap((pattern) => matchesIn(text, pattern));
  return queries.map((query, index) => ({ name: `${file}, query ${index + 1}`, query }));
});

const source = globSync("src/**/*.ts")
  .map((file) => readFileSync(file, "utf8"))
  .join("\n");
const events = matchesIn(source, /log\.(?:info|warn|error)\(\s*"([\w-]+)"/g);
const codes = matchesIn(source, /^ {2}"?([\w-]+)"?: \{ status: \d+/gm);
const known = new Set([...events, "request", ...functionNames, ...codes, "unexpected", "event-sink"]);

test.each([...rules, ...rulesOf(existing), ...panels, ...documented])(
  "The query of $name is valid, and names only events, functions and fields that the app logs",
  ({ query }) => {
    expect(query).not.toMatch(/__\w+__/);
    expect(faultsOf(query)).toEqual([]);
    const compared = /(?:event|function|OperationName)\)? (?:==|!?in) (\([^)]*\)|"[^"]*")/g;
    const words = matchesIn(query, compared).flatMap((list) => matchesIn(list, /"([^"]*)"/g));
    expect(words.filter((word) => !known.has(word))).toEqual([]);
    const read = matchesIn(query, /\bentry\.(\w+)/g);
    expect(read.filter((field) => !new RegExp(`\\b${field}\\b`).test(source))).toEqual([]);
  },
);

test.each(panels)("The panel $name of the workbook reads only this app's rows", ({ query }) => {
  expect(query).toMatch(new RegExp(`^\\| where App(?:RoleName)? =~ "${appName}"`, "m"));
});

test.each(documented)("$name reads only the rows of one app", ({ query }) => {
  const now = Date.parse("2026-11-21T12:00:00Z");
  const names = ["request", ...matchesIn(query, /"([\w-]+)"/g)].filter((name) => name !== appName);
  const rowsOf = (app: string, environment: string, TimeGenerated: number): Row[] =>
    names.flatMap((name) => {
      const Message = JSON.stringify({ event: name, function: name, caller: app, credentials: name });
      return [
        { Type: "AppTraces", AppRoleName: app, Message, TimeGenerated },
        { Type: "AppRequests", AppRoleName: app, AppRoleInstance: app, OperationName: name, TimeGenerated },
        { Type: "VmrGatewayMetrics_CL", App: app, TimeGenerated },
        {
          Type: "ApiManagementGatewayLogs",
          ApiId: `vmr-gateway-${environment}`,
          BackendUrl: `https://${app}.azurewebsites.net/api`,
          OperationId: name,
          TimeGenerated,
        },
      ];
    });
  const own = rowsOf(appName, "production", now - 60_000);
  const found = runQuery(query, own, now);
  expect(found).not.toEqual([]);
  const ofOthers = rowsOf("func-vmr-other", "other", now - 1000);
  expect(runQuery(query, [...ofOthers, ...own], now)).toEqual(found);
});

test("The runbooks read the log for events that the app logs", () => {
  const text = readFileSync("docs/operations.md", "utf8").replaceAll(/\s+/g, " ");
  const lists = matchesIn(text, /read the log for ([^.;:]+)[.;:]/gi);
  const named = lists.flatMap((list) => matchesIn(list, /`([\w-]+)`/g));
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((event) => !known.has(event))).toEqual([]);
});

describe("The alerts", () => {
  test("go to the urgent group if their severity is 1, otherwise to the routine one, and one is about secrets that expire", () => {
    const all = [...rules, ...rulesOf(existing)];
    expect(all.map(({ group }) => group)).toEqual(
      all.map(({ severity }) => (severity === 1 ? "urgent" : "routine")),
    );
    const { source: watched } = onlyOf(production, "EventGrid/systemTopics").properties;
    expect(watched).toBe(onlyOf(production, "KeyVault/vaults").id);
    const expiry = onlyOf(production, "EventGrid/systemTopics/eventSubscriptions").properties;
    const types = ["SecretNearExpiry", "SecretExpired"].map((type) => `Microsoft.KeyVault.${type}`);
    expect(expiry["filter"].includedEventTypes).toEqual(types);
    expect(expiry["destination"].properties.actionGroups[0]).toMatch(/-routine$/);
  });

  test("have a runbook in the documents", () => {
    const text = readFileSync("docs/operations.md", "utf8");
    for (const name of [...rules.map((rule) => rule.name), "secret-expiring"])
      expect([name, text.match(new RegExp(`^## ${name}$`, "gm"))?.length]).toEqual([name, 1]);
    for (const { name, description } of rules) expect(description).toContain(`section ${name} `);
  });
});

/** Returns the length of a window, such as `PT15M` or `P2D`. */
function millisecondsOf(window: string): number {
  const [, amount, unit] = /^PT?(\d+)([MHD])$/.exec(window) ?? [];
  const minutes = new Map([
    ["M", 1],
    ["H", 60],
    ["D", 24 * 60],
  ]);
  return Number(amount) * Number(minutes.get(unit ?? "")) * 60_000;
}

describe("An alert", () => {
  const everyRule = [...rules, ...withoutLog];
  function isFiring(situation: string, rows: readonly Row[]): boolean {
    const rule = everyRule.find(({ name }) => name === alertOf(situation));
    if (!rule) throw new Error(`infra/observability.bicep has no alert for: ${situation}`);
    // Azure may run a query with `ago` on two days, whatever the window is.
    const ranges = rule.query.includes("ago(") ? [rule.windowSize, "P2D"] : [rule.windowSize];
    const verdicts = ranges.map((range) => {
      const since = now - millisecondsOf(range);
      const inRange = rows.filter(({ TimeGenerated }) => Number(TimeGenerated) >= since);
      return runQuery(rule.query, inRange, now).length >= rule.threshold;
    });
    expect(new Set(verdicts).size, "the verdict on two days is another").toBe(1);
    return verdicts[0] === true;
  }

  test.each(Object.entries(firing))("%s, and only for this gateway", (situation, rows) => {
    expect(isFiring(situation, rows)).toBe(true);
    const ofAnother = rows.map((row) => ({ ...row, ...ofOthers }));
    expect(isFiring(situation, ofAnother)).toBe(false);
  });

  test.each(Object.entries(silent))("%s", (situation, rows) => {
    expect(isFiring(situation, rows)).toBe(false);
  });

  test.each(everyRule)("$name has situations in which it fires, and in which it is silent", ({ name }) => {
    for (const situations of [firing, silent]) expect(Object.keys(situations).map(alertOf)).toContain(name);
  });
});

test("The availability test calls the URL that consumers use, from three places every five minutes", () => {
  const { Locations, ...properties } = onlyOf(production, "Insights/webtests").properties;
  // Nine rows in the alert's 15 minutes, of which six must be failures.
  expect([Locations.length, properties["Frequency"]]).toEqual([3, 300]);
  const RequestUrl = onlyOf(production, "Web/sites").tags?.["vmr-gateway-health"];
  expect(properties).toMatchObject({ Request: { RequestUrl } });
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
  const added = ["App", "Environment"].map((name) => [name, "string"]);
  expect(named(table?.properties["schema"].columns)).toEqual([...named(uploaded), ...added]);
  expect(dataFlows[0].transformKql).toBe(`source | extend App = "${appName}", Environment = "production"`);
});
