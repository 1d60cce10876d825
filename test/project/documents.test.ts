/** The documents are true: settings, scripts, files and links. */
import { existsSync, readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
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
  ...(await readdir(new URL("docs/", root), { recursive: true }))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

const settingRows = tableBelow(await read("docs/reference.md"), "## Settings").map(
  ([name = "", initial = ""]) => ({ name: unquoted(name), initial }),
);
const values: Record<string, string | undefined> = example.Values;

test("The settings table contains exactly the settings of the app, in their order", () => {
  expect(settingRows.map(({ name }) => name)).toEqual(settingNames);
});

/** Returns the settings with a value for one of them, or undefined if the app does not start. */
function loadWith(name: string, value: string | undefined) {
  try {
    return loadSettings({ ...values, [name]: value });
  } catch {
    return undefined;
  }
}

test("The settings table states the app's defaults, and which settings are required", () => {
  const rows = settingRows.map(({ name, initial }) => {
    const withoutIt = loadWith(name, undefined);
    if (withoutIt === undefined) return [name, initial.startsWith("required")];
    const isDefault =
      initial.startsWith("`") && isDeepStrictEqual(loadWith(name, unquoted(initial)), withoutIt);
    return [name, initial === "none" || isDefault];
  });
  expect(rows.filter(([, isTrue]) => isTrue !== true)).toEqual([]);
});

test("Every npm command and every file that a document names exists", async () => {
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

test("The API document and the guide name the same timeouts", async () => {
  for (const text of [await read("openapi.json"), await read("docs/integration.md")])
    expect([
      text.match(/timeout of 30 seconds/),
      text.match(/170 seconds for the list,? and 200/),
    ]).not.toContain(null);
});

test("Every link in a document leads to a file and a heading that exist", async () => {
  const broken: string[] = [];
  for (const path of documents) {
    const links = (await read(path)).matchAll(/\]\((?!https:)([^)#]*)(?:#([^)]+))?\)/g);
    for (const [link, file = "", anchor] of links) {
      const target = file === "" ? new URL(path, root) : new URL(file, new URL(path, root));
      const isFound = existsSync(target);
      const hasAnchor = () => anchorsOf(readFileSync(target, "utf8")).includes(anchor ?? "");
      if (!isFound || (anchor !== undefined && !hasAnchor())) broken.push(`${path}: ${link}`);
    }
  }
  expect(broken).toEqual([]);
});

test("No blank line divides a table or a list", async () => {
  const divided: string[] = [];
  for (const path of documents) {
    const rowsOrItems = (await read(path)).matchAll(
      /^\|.*\n\n+\|.*|^(?:- |\d+\. | {2,}(?! *```)).*\n\n+(?:- |\d+\. ).*/gm,
    );
    divided.push(...[...rowsOrItems].map(([text]) => `${path}: ${text}`));
  }
  expect(divided).toEqual([]);
});
