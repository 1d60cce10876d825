/** The code of every failure is asserted in a test of a function. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const errors = readFileSync(`${root}src/lib/errors.ts`, "utf8");
const codes = [...errors.matchAll(/^ {2}"?([a-z-]+)"?: \{ status: \d{3}/gm)].map((match) => match[1] ?? "");

const asserted = ["test/functions", "test/support"]
  .flatMap((folder) =>
    readdirSync(`${root}${folder}`)
      .filter((name) => name.endsWith(".ts"))
      .map((file) => readFileSync(`${root}${folder}/${file}`, "utf8")),
  )
  .flatMap((text) => [...text.matchAll(/(?:code: |failure\()"([a-z-]+)"/g)].map((match) => match[1]));

test("The table of failures is found", () => {
  expect(codes).toContain("invalid-request");
  expect(codes.length).toBeGreaterThanOrEqual(15);
});

test("Every code is asserted", () => {
  expect(codes.filter((code) => !asserted.includes(code))).toEqual([]);
});

test("Every asserted code exists", () => {
  const known = [...codes, "unexpected"];
  expect(asserted.filter((code) => !known.includes(code ?? ""))).toEqual([]);
});
