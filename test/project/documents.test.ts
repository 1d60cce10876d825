/** The documents are true: settings, functions, scripts, files and links, promises, decisions. */
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import example from "../../local.settings.example.json" with { type: "json" };
import manifest from "../../package.json" with { type: "json" };
import { loadSettings, settingNames } from "../../src/lib/settings/settings.ts";
import { tableBelow, unquoted } from "../support/markdown-table.ts";

const root = new URL("../../", import.meta.url);
const read = async (path: string) => readFile(new URL(path, root), "utf8");
const documents = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "infra/README.md",
  "client/README.md",
  ...(await readdir(new URL("docs/", root), { recursive: true }))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

const rowsBelow = async (path: string, heading: string) => tableBelow(await read(path), heading);
const settingRows = (await rowsBelow("docs/reference.md", "## Settings")).map(
  ([name = "", initial = ""]) => ({
    name: unquoted(name),
    initial,
  }),
);
const values: Record<string, string | undefined> = example.Values;

test("the settings table contains exactly the settings of the app, in their order", () => {
  expect(settingRows.map(({ name }) => name)).toEqual(settingNames);
});

test("the settings table states the app's defaults", () => {
  const defaults = settingRows.filter(({ initial }) => initial.startsWith("`"));
  expect(defaults.length).toBeGreaterThan(5);
  for (const { name, initial } of defaults) {
    const withDefault = loadSettings({ ...values, [name]: unquoted(initial) });
    expect([name, withDefault]).toEqual([name, loadSettings({ ...values, [name]: undefined })]);
  }
});

test("the settings table calls exactly those settings required without which the app does not start", () => {
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

test("local.settings.example.json has only settings of the app and of the host", () => {
  const unknown = Object.keys(values).filter((name) => !settingNames.includes(name));
  expect(unknown).toEqual(["FUNCTIONS_WORKER_RUNTIME"]);
});

test("the scripts table contains exactly the npm scripts", async () => {
  const rows = await rowsBelow("docs/development.md", "## Scripts");
  const scripts = rows.map(([command = ""]) => unquoted(command).replace(/^npm (?:run )?/, ""));
  expect(scripts.toSorted()).toEqual(Object.keys(manifest.scripts).toSorted());
});

test("every promise of the architecture names the tests that prove it", async () => {
  const promises = await rowsBelow("docs/architecture.md", "## What is promised");
  expect(promises).toHaveLength(8);
  for (const [, name, , proof = ""] of promises)
    expect([name, proof]).toEqual([name, expect.stringMatching(/`test\/[\w./-]+\.test\.ts`/)]);
});

test("every npm command and every file that a document names exists", async () => {
  for (const path of documents) {
    const text = await read(path);
    const scripts = [...text.matchAll(/npm run (?:-s )?([\w-]+)|npm (start|test)\b/g)];
    const unknown = scripts
      .map(([, run, short]) => run ?? short ?? "")
      .filter((name) => !(name in manifest.scripts));
    expect([path, unknown]).toEqual([path, []]);
    const files = [...text.matchAll(/`((?:src|test|tools|scripts|docs|infra|client|lib)\/[\w./-]*)`/g)].map(
      ([, name = ""]) => (name.startsWith("lib/") ? `src/${name}` : name),
    );
    expect([path, files.filter((name) => !existsSync(new URL(name, root)))]).toEqual([path, []]);
  }
});

/** Headings as GitHub turns them into anchors. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, "")
      .replaceAll(" ", "-"),
  );
}

test("every link in a document leads to a file and a heading that exist", async () => {
  const isBroken = async (path: string, file: string, anchor: string | undefined): Promise<boolean> => {
    const target = file === "" ? new URL(path, root) : new URL(file, new URL(path, root));
    if (!existsSync(target)) return true;
    return anchor !== undefined && !anchorsOf(await readFile(target, "utf8")).includes(anchor);
  };
  const broken: string[] = [];
  for (const path of documents) {
    for (const [link, file = "", anchor] of (await read(path)).matchAll(
      /\]\((?!https:)([^)#]*)(?:#([^)]+))?\)/g,
    ))
      if (await isBroken(path, file, anchor)) broken.push(`${path}: ${link}`);
  }
  expect(broken).toEqual([]);
});
