/** Alerts hold together: query, rule, limits, the columns and events that exist, and a section of the runbook. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, parse } from "node:path";
import { describe, expect, it } from "vitest";
import { body, declarations, entries, parseBicep, unquoted } from "./bicep-source.ts";
import { functionNames, quotedWords, unknownColumns, wordsOfTheCode } from "./log-queries.ts";

const files = readdirSync(join("infra", "alerts"));
const alertNames = files.map((file) => parse(file).name);
const queryOf = (name: string) => readFileSync(join("infra", "alerts", `${name}.kql`), "utf8");
const module = parseBicep(join("infra", "modules", "alerts.bicep"));
const limits = entries(body(declarations(module, "variable").get("defaultLimits")));
const runbook = readFileSync(join("docs", "operations.md"), "utf8");
const sections = runbook.split(/^## /m).slice(1);

it("every alert that operators are promised has a query", () => {
  expect(files.filter((file) => !file.endsWith(".kql"))).toEqual([]);
  expect(alertNames.toSorted()).toEqual([...limits.keys()].toSorted());
  expect(alertNames).toHaveLength(13);
});

it("every query is loaded by a rule of its own name", () => {
  const rules = (declarations(module, "variable").get("rules")?.descendantsOfType("object") ?? []).map(
    (node) => entries(node),
  );
  const loaded = rules.map((rule) => [unquoted(rule.get("name")), rule.get("query")?.text]);
  const expected = alertNames.map((name) => [name, `loadTextContent('../alerts/${name}.kql')`]);
  expect(Object.fromEntries(loaded)).toEqual(Object.fromEntries(expected));
});

describe.each(alertNames)("%s", (name) => {
  const query = queryOf(name);

  it("opens with a sentence, names its threshold and only columns that exist", () => {
    expect(query).toMatch(/^\/\/ .+\.\n/);
    expect(query).toContain("__threshold__");
    expect((query.match(/__\w+?__/g) ?? []).filter((marker) => !module.text.includes(`'${marker}'`))).toEqual(
      [],
    );
    expect(unknownColumns(query)).toEqual([]);
  });

  it("names only events that the app logs and functions that it has", () => {
    const known = new Set([...wordsOfTheCode(), ...functionNames(), "__app__", "2"]);
    expect(quotedWords(query).filter((word) => !known.has(word))).toEqual([]);
  });

  it("counts the telemetry of this app only", () => {
    const tables = query.match(/\bApp(Traces|Requests)\b/g)?.length ?? 0;
    expect(query.match(/AppRoleName =~ "__app__"/g)?.length ?? 0).toBe(tables);
  });

  it("has a threshold, a window of at least two metrics runs where it reads metrics, and a severity", () => {
    const limit = entries(limits.get(name));
    const number = (key: string) => Number(limit.get(key)?.text);
    expect(number("threshold")).toBeGreaterThan(0);
    expect(number("windowMinutes")).toBeGreaterThanOrEqual(query.includes("VmrGatewayMetrics_CL") ? 10 : 5);
    expect([1, 2, 3]).toContain(number("severity"));
  });

  it("has a section in the runbook that says what it means, what to check, what to do and how to see that it worked", () => {
    const section = sections.filter((text) => text.startsWith(`${name}\n`));
    expect(section).toHaveLength(1);
    expect([...(section[0] ?? "").matchAll(/^### (.+)$/gm)].map(([, heading]) => heading)).toEqual([
      "Meaning",
      "Check",
      "Act",
      "Verify",
    ]);
  });
});

/** Minutes between two runs of a timer such as `0 *\/5 * * * *`. */
function intervalMinutes(file: string): number {
  const schedule = /schedule: "0 \*\/(\d+) \* \* \* \*"/.exec(
    readFileSync(join("src", "functions", file), "utf8"),
  );
  return Number(schedule?.[1]);
}

it("a timer that misses one run wakes nobody, one that misses two does", () => {
  const window = Number(entries(limits.get("timers-not-running")).get("windowMinutes")?.text);
  const longest = Math.max(
    intervalMinutes("collect-garbage.timer.ts"),
    intervalMinutes("collect-metrics.timer.ts"),
  );
  expect(window).toBeGreaterThan(longest * 2);
  expect(window).toBeLessThanOrEqual(longest * 3);
});

it("the runbook gives the schedules and the capacity that the code has", () => {
  for (const file of ["collect-garbage.timer.ts", "collect-metrics.timer.ts"]) {
    expect(runbook).toContain(`\`0 */${intervalMinutes(file)} * * * *\``);
  }
});

it("the runbook has no section for an alert that does not exist", () => {
  const withMeaning = sections
    .filter((text) => text.includes("\n### Meaning\n"))
    .map((text) => text.split("\n")[0] ?? "");
  expect(withMeaning.toSorted()).toEqual(alertNames.toSorted());
});

const queriesOfTheRunbook = [...runbook.matchAll(/```kusto\n([\s\S]*?)```/g)].map(([, query]) => query ?? "");

it("the runbook's queries name columns, events and functions that exist", () => {
  const known = new Set([...wordsOfTheCode(), ...functionNames()]);
  expect(queriesOfTheRunbook.length).toBeGreaterThan(10);
  for (const query of queriesOfTheRunbook) {
    expect(unknownColumns(query)).toEqual([]);
    expect(quotedWords(query).filter((word) => !known.has(word))).toEqual([]);
  }
});

it("the runbook's links lead to its own sections and to files that exist", () => {
  const anchors = sections.map((text) =>
    text
      .split("\n")[0]
      ?.toLowerCase()
      .replaceAll(/[^a-z0-9 -]/g, "")
      .replaceAll(" ", "-"),
  );
  const linked = [...runbook.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor ?? "");
  expect(linked.length).toBeGreaterThan(10);
  expect(linked.filter((anchor) => !anchors.includes(anchor))).toEqual([]);
  const named = [...runbook.matchAll(/`((?:docs|infra)\/[\w./-]+\.\w+)`/g)].map(([, path]) => path ?? "");
  expect(named.filter((path) => !existsSync(path))).toEqual([]);
});
