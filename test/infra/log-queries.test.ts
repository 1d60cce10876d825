/** Every query of alerts, workbook and documents: the language service finds no fault, and what they name is logged. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { functionNames } from "../support/function-names.ts";
import { failureCodes, loggedEvents } from "../support/infra/code-facts.ts";
import { faultsOf, parseQuery, type QueryNode } from "../support/infra/kusto/language.ts";
import { runQuery } from "../support/infra/kusto/run-query.ts";

const filledIn = (query: string): string =>
  query.replaceAll("__threshold__", "3").replaceAll("__app__", "func-example");

const ofAlerts = readdirSync("infra/alerts").map((file): [string, string] => [
  file,
  readFileSync(join("infra/alerts", file), "utf8"),
]);

const Workbook = z.object({
  version: z.literal("Notebook/1.0"),
  items: z.array(
    z.object({
      name: z.string(),
      content: z.object({ title: z.string().optional(), query: z.string().optional() }),
    }),
  ),
});
const { items } = Workbook.parse(JSON.parse(readFileSync("infra/workbook/workbook.json", "utf8")));
const panels = items.filter(({ content }) => content.query !== undefined);
const ofWorkbook = panels.map(({ name, content }): [string, string] => [name, content.query ?? ""]);

/** Blocks of the language kusto, and code in a line that begins with a table's name. */
const ofDocuments = readdirSync("docs", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".md"))
  .flatMap((file) => {
    const text = readFileSync(join("docs", file), "utf8");
    const blocks = [...text.matchAll(/```kusto\n([\s\S]*?)```/g)];
    const inLines = [
      ...text.matchAll(/`((?:App\w+|VmrGatewayMetrics_CL|ApiManagementGatewayLogs)\s*\|[^`]+)`/g),
    ];
    return [...blocks, ...inLines].map(([, query = ""], index): [string, string] => [
      `${file}, query ${index + 1}`,
      query,
    ]);
  });

/** Words in queries that are no events and no functions of the app. */
const otherWords = new Set([
  // A placeholder in the operations guide.
  "<room name>",
  "func-example",
  "func-example-health",
  "event-sink",
  "vmr-gateway",
  "eventsink_maximum_backoff",
]);
const fieldsOfEveryLine = ["event", "function", "invocationId", "causes"];

function nodesOf(node: QueryNode, kind: string): QueryNode[] {
  return [...(node.kind === kind ? [node] : []), ...node.children.flatMap((child) => nodesOf(child, kind))];
}

describe.each([...ofAlerts, ...ofWorkbook, ...ofDocuments])("%s", (_, text) => {
  const query = filledIn(text);

  it("Has no fault that Kusto's language service knows", () => {
    expect(faultsOf(query)).toEqual([]);
  });

  it("Names only events, functions and fields that the app logs", () => {
    const tree = parseQuery(query);
    const words = nodesOf(tree, "LiteralExpression")
      .filter(({ text: literal }) => literal.startsWith('"'))
      .map(({ text: literal }) => literal.slice(1, -1));
    const known = new Set([...loggedEvents().keys(), ...functionNames, ...failureCodes(), ...otherWords]);
    expect(words.filter((word) => !known.has(word))).toEqual([]);
    const fields = new Set([...fieldsOfEveryLine, ...[...loggedEvents().values()].flat()]);
    const read = nodesOf(tree, "PathExpression").map(({ children }) => children[2]?.text ?? "");
    expect(read.filter((field) => !fields.has(field))).toEqual([]);
  });

  it("Keeps to this app in a workspace that other apps share, if alert or workbook", () => {
    const isOfDocuments = ofDocuments.some(([, other]) => other === text);
    const tree = parseQuery(query);
    const tables = nodesOf(tree, "NameReference").filter(({ text: name }) =>
      /^App(Traces|Requests)$/.test(name),
    );
    const kept = nodesOf(tree, "BinaryExpression").filter(
      ({ text: condition }) => condition === 'AppRoleName =~ "func-example"',
    );
    expect(kept).toHaveLength(isOfDocuments ? kept.length : tables.length);
  });
});

it("Documents and workbook have queries to check", () => {
  expect(ofDocuments.length).toBeGreaterThan(15);
  expect(ofWorkbook.length).toBe(19);
});

it("Every panel of the workbook has a name of its own, a title and a time range", () => {
  expect(new Set(items.map(({ name }) => name)).size).toBe(items.length);
  expect(panels.filter(({ content }) => !content.title)).toEqual([]);
  const text = readFileSync("infra/workbook/workbook.json", "utf8");
  expect(text.match(/"timeContextFromParameter": "TimeRange"/g)).toHaveLength(panels.length);
});

describe("The checks themselves", () => {
  it.each([
    ["an unknown column", "AppTraces | where Mesage == 'a'"],
    ["an unknown table", "AppTrace | count"],
    ["an unknown function", "AppTraces | extend a = parse_jsonn(Message)"],
    ["a comparison of a number with a text", "AppRequests | where DurationMs startswith 2"],
  ])("Find %s", (_, query) => {
    expect(faultsOf(query)).not.toEqual([]);
  });

  it.each([
    ["AppTraces | distinct Message", "DistinctOperator"],
    ["AppTraces | extend a = toupper(Message)", "toupper()"],
    ["AppTraces | summarize a = stdev(SeverityLevel)", "stdev()"],
    ["AppTraces | where Message has 'a'", "has"],
  ])("Refuse to run %s, which they do not know", (query, message) => {
    expect(() => runQuery(query, { AppTraces: [{ Message: "a" }] })).toThrow(message);
  });

  it("Order rows as Kusto does: descending unless it says otherwise, nulls last", () => {
    const rows = [{ SeverityLevel: 1 }, { SeverityLevel: null }, { SeverityLevel: 3 }];
    const ordered = (query: string) =>
      runQuery(query, { AppTraces: rows }).map((row) => row["SeverityLevel"]);
    expect(ordered("AppTraces | order by SeverityLevel")).toEqual([3, 1, null]);
    expect(ordered("AppTraces | order by SeverityLevel asc")).toEqual([null, 1, 3]);
  });
});
