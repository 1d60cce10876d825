/** Reads log queries as text: which columns, events and functions they name. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { metricsColumns } from "../../src/lib/metrics/row.ts";

/** What Application Insights writes to the workspace, as far as the queries use it. */
const hostNames =
  "AppTraces AppRequests AppRoleName DurationMs Message OperationName ResultCode Success TimeGenerated".split(
    " ",
  );

/** Names in a query that look like a column or a table and are none that exists. */
export function unknownColumns(query: string): string[] {
  const code = query.replaceAll(/\/\/.*$/gm, "").replaceAll(/"[^"]*"/g, "");
  const known = new Set([...Object.keys(metricsColumns), ...hostNames, "VmrGatewayMetrics_CL"]);
  return (code.match(/\b[A-Z]\w+/g) ?? []).filter((name) => !known.has(name));
}

/** The words in double quotes of a query: events, functions and statuses. */
export function quotedWords(query: string): string[] {
  return [...query.replaceAll(/\/\/.*$/gm, "").matchAll(/"([^"]*)"/g)].map(([, word]) => word ?? "");
}

/** The words in double quotes of the app's code, among them every event that it logs. */
export function wordsOfTheCode(): Set<string> {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  return new Set(files.flatMap((name) => quotedWords(readFileSync(join("src", name), "utf8"))));
}

/** The names of the functions that the app registers: what each file in `src/functions` exports. */
export function functionNames(): string[] {
  return readdirSync(join("src", "functions")).flatMap((name) =>
    [...readFileSync(join("src", "functions", name), "utf8").matchAll(/^export const (\w+)/gm)].map(
      ([, found]) => found ?? "",
    ),
  );
}
