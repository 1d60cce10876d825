/** Alerts, workbook and documented queries are valid, keep to this app, and have receivers and runbooks. */
import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { metricsColumns } from "../../src/lib/metrics/measurement.ts";
import { functionNames } from "../support/function-names.ts";
import { allOf, onlyOf, type Snapshot, snapshotOf } from "../support/infra/snapshots.ts";
import { faultsOf } from "../support/kusto.ts";

const production = snapshotOf("production");
const existing = snapshotOf("existing");
const appName = onlyOf(production, "Web/sites").name;

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
    const limits = `${threshold} in ${windowSize}, severity ${severity}, ${group}`;
    return { name, limits, query: String(query), description };
  });
const rules = rulesOf(production);

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
const documented = globSync("docs/**/*.md").flatMap((file) => {
  const text = readFileSync(file, "utf8");
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

test.each([...rules, ...panels])(
  "The query of $name reads only this app's rows in a shared workspace",
  ({ query }) => {
    const ofApp = [`AppRoleName =~ "${appName}"`, `App =~ "${appName}"`, `Name == "${appName}-health"`];
    const filters = [...ofApp, 'ApiId == "vmr-gateway-production"'];
    const tables = query.match(/^(App\w+|VmrGatewayMetrics_CL|ApiManagementGatewayLogs)$/gm) ?? [];
    expect(tables.length).toBeGreaterThan(0);
    expect(filters.filter((filter) => query.includes(filter))).toHaveLength(tables.length);
  },
);

test("The runbooks read the log for events that the app logs", () => {
  const text = readFileSync("docs/operations.md", "utf8").replaceAll(/\s+/g, " ");
  const lists = matchesIn(text, /read the log for ([^.;:]+)[.;:]/gi);
  const named = lists.flatMap((list) => matchesIn(list, /`([\w-]+)`/g));
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((event) => !known.has(event))).toEqual([]);
});

describe("Alerts", () => {
  test("Are thirteen queries and the event of the vault, each with its limits and receivers", () => {
    const filter = /^\| where (?:\w+ =[=~] "[^"]*" and )?/;
    const described = rules.map(({ name, limits, query }) => {
      const condition = query.trim().split("\n").at(-1)?.replace(filter, "");
      return `${name}: ${limits}: ${condition}`;
    });
    expect(described).toEqual([
      "callers-refused: 1 in PT1H, severity 2, routine: Refused == 5",
      "creates-failing: 5 in PT15M, severity 1, urgent: toint(ResultCode) >= 500 and Failed >= 2",
      "deletion-queue-old: 1 in PT30M, severity 2, routine: DeletionOldestSeconds > 3600",
      "event-sink-silent: 1 in PT2H, severity 1, urgent: (Waiting - Least > 20 and Waiting - Least > 0.25 * Claims) or Stopped >= 2",
      "health-check-failing: 6 in PT15M, severity 1, urgent: not(Success)",
      'platform-alarms: 1 in PT30M, severity 2, routine: AlarmNames has_any ("licenses_exhausted", "capacity_exhausted")',
      "platform-unreachable: 2 in PT15M, severity 1, urgent: (not(PlatformConnected) or isnull(AvailableRooms))",
      "poison-messages: 1 in PT30M, severity 2, routine: PoisonDepth > 0",
      "pool-empty-on-claim: 5 in PT30M, severity 1, urgent: Lasted >= 10m",
      'provisioning-failing: 5 in PT30M, severity 2, routine: tostring(parse_json(Message).event) == "provisioning-failed"',
      "server-errors: 5 in PT15M, severity 1, urgent: ResponseCode >= 500 and Failed >= 2",
      'signing-keys-stale: 1 in PT1H, severity 2, routine: tostring(parse_json(Message).event) == "signing-keys-stale"',
      "timers-not-running: 1 in P2D, severity 1, urgent: Newest < ago(30m)",
    ]);
    const { source: watched } = onlyOf(production, "EventGrid/systemTopics").properties;
    expect(watched).toBe(onlyOf(production, "KeyVault/vaults").id);
    const expiry = onlyOf(production, "EventGrid/systemTopics/eventSubscriptions").properties;
    const types = ["SecretNearExpiry", "SecretExpired"].map((type) => `Microsoft.KeyVault.${type}`);
    expect(expiry["filter"].includedEventTypes).toEqual(types);
    expect(expiry["destination"].properties.actionGroups[0]).toMatch(/-routine$/);
  });

  test.each([
    ["creates-failing", "Creates | summarize 100.0 * countif(toint(ResultCode) >= 500) / count()"],
    ["creates-failing", 'OperationName in ("createRoomFromQueue", "createRoom")'],
    ["server-errors", "Calls | summarize 100.0 * countif(ResponseCode >= 500) / count()"],
    ["server-errors", 'not(OperationId startswith "create-room")'],
    ["pool-empty-on-claim", "Empty | summarize max(TimeGenerated) - min(TimeGenerated)"],
    ["pool-empty-on-claim", 'tostring(parse_json(Message).event) == "pool-empty"'],
    ["event-sink-silent", "Waiting = InUseRooms - LiveConferences - DeletionDepth"],
    ["event-sink-silent", "arg_max(TimeGenerated, Waiting), Least = min(Waiting)"],
    ["event-sink-silent", 'ago(15m) and AlarmNames contains "eventsink_maximum_backoff"'],
    ["event-sink-silent", 'tostring(parse_json(Message).event) == "room-claimed"'],
  ])("%s computes %s", (name, expression) => {
    expect(rules.find((rule) => rule.name === name)?.query).toContain(expression);
  });

  test("Have a runbook in the documents", () => {
    const text = readFileSync("docs/operations.md", "utf8");
    for (const name of [...rules.map((rule) => rule.name), "secret-expiring"])
      expect([name, text.match(new RegExp(`^## ${name}$`, "gm"))?.length]).toEqual([name, 1]);
    for (const { name, description } of rules) expect(description).toContain(`section ${name} `);
  });
});

test.each([production, existing])("The availability test calls the URL that consumers use", (snapshot) => {
  expect(onlyOf(snapshot, "Insights/webtests").properties).toMatchObject({
    // With three places, nine rows in the alert's 15 minutes, of which six must be failures.
    Frequency: 300,
    Locations: [{}, {}, {}],
    Request: { RequestUrl: onlyOf(snapshot, "Web/sites").tags?.["vmr-gateway-health"] },
    ValidationRules: { ExpectedHttpStatusCode: 200 },
  });
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
