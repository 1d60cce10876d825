/** The specification is complete and can be cited: its numbers, the places that cite them, and its tables. */
import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { document, operations } from "../support/api-document.ts";

const text = readFileSync("docs/specification.md", "utf8");
const sections = [...text.matchAll(/^##+ (\d+(?:\.\d+)?)\.? /gm)].map(([, number = ""]) => number);
const requirements = [...text.matchAll(/^(?:\*\*|\| )(\d+(?:\.\d+)+)(?: Decision\.)?(?:\*\*| \|)/gm)].map(
  ([, number = ""]) => number,
);

test("sections are numbered 1 to 10 in their order, and requirements without a gap in each section", () => {
  expect(sections.filter((number) => !number.includes("."))).toEqual(
    Array.from({ length: 10 }, (_, index) => String(index + 1)),
  );
  const bySection = Map.groupBy(requirements, (number) => number.replace(/\.\d+$/, ""));
  for (const [section, numbers] of bySection)
    expect(numbers).toEqual(numbers.map((_, index) => `${section}.${index + 1}`));
  expect(requirements.length).toBeGreaterThan(100);
});

test("every section that code and tests cite exists", () => {
  const files = globSync(["src/**/*.ts", "test/**/*.ts", "local/**/*.ts", "scripts/**/*.ts"]);
  const cited = files.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/(?:§|[Ss]pecification )(\d+(?:\.\d+)*)/g)].map(
      ([, number = ""]) => number,
    ),
  );
  expect(cited.length).toBeGreaterThan(20);
  const known = [...sections, ...requirements];
  expect(cited.filter((number) => !known.includes(number))).toEqual([]);
});

/** The first two columns of the tables of a section, without backquotes. */
function tableOf(section: string): [name: string, type: string][] {
  const start = text.split(new RegExp(`^### ${section.replace(".", "\\.")} .*$`, "m"))[1] ?? "";
  const rows = (start.split(/^##/m)[0] ?? "").matchAll(/^\| (`\w+`|[a-z_]+) \| ([^|]+) \|/gm);
  return [...rows].map(([, name = "", type = ""]) => [
    name.replaceAll("`", ""),
    type.replaceAll("`", "").trim(),
  ]);
}

test.each([
  ["2.1", "Alias"],
  ["2.2", "ConstrainedConference"],
  ["2.3", "Conference"],
  ["2.4", "Health"],
])("the table of %s has the fields of %s in openapi.json, with their types", (section, name) => {
  const { properties = {} } = document.components.schemas[name] ?? {};
  const fields = Object.entries(properties as Record<string, { type?: string; anyOf?: { type: string }[] }>);
  const published = fields.map(([field, { type, anyOf }]) => [field, type ?? anyOf?.[0]?.type]);
  const specified = tableOf(section).map(([field, type]) => [field, type.split(" ")[0]]);
  expect(Object.fromEntries(specified)).toEqual(Object.fromEntries(published));
});

test("the tables of section 4 have the operations of openapi.json", () => {
  const published = operations.map(({ operationId, method, path }) => [
    operationId,
    `${method.toUpperCase()} ${path}`,
  ]);
  const specified = [...tableOf("4.1"), ...tableOf("4.2")].map(([name, place]) => [
    name,
    place.replace(" (legacy)", ""),
  ]);
  expect(Object.fromEntries(specified)).toEqual(Object.fromEntries(published));
});
