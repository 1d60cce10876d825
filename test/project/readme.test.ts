/** What README, CONTRIBUTING and the documents say is true: settings, functions, commands, files, decisions. */
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import example from "../../local.settings.example.json" with { type: "json" };
import manifest from "../../package.json" with { type: "json" };
import { collectGarbage } from "../../src/functions/collect-garbage.timer.ts";
import { collectMetrics } from "../../src/functions/collect-metrics.timer.ts";
import { provisionRoom } from "../../src/functions/provision-room.queue.ts";
import { loadSettings, settingNames } from "../../src/lib/settings/settings.ts";

const root = new URL("../../", import.meta.url);
const read = async (path: string) => readFile(new URL(path, root), "utf8");
const readme = await read("README.md");
const documents = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "docs/architecture.md",
  ...(await readdir(new URL("docs/decisions/", root))).map((name) => `docs/decisions/${name}`),
];

/** The rows of the table below a heading, cell by cell, without its head. */
function tableBelow(heading: string): string[][] {
  const section = readme.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  const rows = section.split("\n").filter((line) => line.startsWith("|"));
  return rows.slice(2).map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const unquoted = (cell = "") => cell.replaceAll("`", "");
const settingRows = tableBelow("Settings").map(([name, initial = ""]) => ({ name: unquoted(name), initial }));
const values: Record<string, string | undefined> = example.Values;

test("the table of settings has exactly the settings of the app, in their order", () => {
  expect(settingRows.map(({ name }) => name)).toEqual(settingNames);
});

const defaults = settingRows.filter(({ initial }) => initial.startsWith("`"));

test.each(defaults)(
  "the default of $name is what the app takes when the setting is missing",
  ({ name, initial }) => {
    const without = loadSettings({ ...values, [name]: undefined });
    expect(loadSettings({ ...values, [name]: unquoted(initial) })).toEqual(without);
  },
);

test("settings that the table calls required are, and the others are not", () => {
  const isOptional = (name: string): boolean => {
    try {
      loadSettings({ ...values, [name]: undefined });
      return true;
    } catch {
      return false;
    }
  };
  expect(settingRows.map(({ name }) => [name, isOptional(name)])).toEqual(
    settingRows.map(({ name, initial }) => [name, !initial.startsWith("required")]),
  );
  const odd = settingRows.filter(({ initial }) => !/^(?:required\b.*|none|`.+`)$/.test(initial));
  expect(odd).toEqual([]);
});

test("the table of functions has exactly the registered ones, with their triggers", async () => {
  const main = await read("src/main.ts");
  const routes = [...main.matchAll(/^ {2}(\w+), \/\/ +(GET|POST|PATCH|DELETE) +(\S+)$/gm)].map(
    ([, name, method, route]) => [name, `${method} \`${route}\``],
  );
  expect(routes).toHaveLength(11);
  expect(tableBelow("Functions").map(([name, trigger]) => [name, trigger])).toEqual([
    ...routes,
    ["provisionRoom", `queue \`${provisionRoom.queueName}\``],
    ["collectGarbage", `timer \`${collectGarbage.schedule}\``],
    ["collectMetrics", `timer \`${collectMetrics.schedule}\`, and on startup`],
  ]);
});

test.each(documents)("every npm command and every file that %s names exists", async (path) => {
  const text = await read(path);
  const scripts = [...text.matchAll(/npm run (?:-s )?([\w-]+)|npm (start|test)\b/g)];
  const unknown = scripts
    .map(([, run, short]) => run ?? short ?? "")
    .filter((name) => !(name in manifest.scripts));
  expect(unknown).toEqual([]);
  const files = [...text.matchAll(/`((?:src|test|local|docs|infra|bench|chaos|lib)\/[\w./-]*)`/g)].map(
    ([, name = ""]) => (name.startsWith("lib/") ? `src/${name}` : name),
  );
  expect(files.filter((name) => !existsSync(new URL(name, root)))).toEqual([]);
});

const decisions = documents.filter((path) => path.startsWith("docs/decisions/")).toSorted();

test.each(decisions)(
  "%s says status, context, decision and consequences, on 30 lines at most",
  async (path) => {
    const text = await read(path);
    const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading);
    const number = decisions.indexOf(path) + 1;
    expect(headings).toEqual([
      expect.stringMatching(new RegExp(`^${number}\\. `)),
      "Status",
      "Context",
      "Decision",
      "Consequences",
    ]);
    expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(30);
  },
);
