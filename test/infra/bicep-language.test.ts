/** The evaluator of Bicep files: the language's own precedence, and a failure for all that it does not know. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deployMain, readParameters } from "../support/infra/bicep/deployment.ts";
import { deployedWith } from "../support/infra/environments.ts";

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "vmr-bicep-"))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The value of an expression, read as the last variable of a file. */
function valueOf(expression: string): unknown {
  const path = join(folder, "example.bicepparam");
  const before = "var a = { b: { c: 'd' }, list: [3, 4] }\nvar yes = true\nvar one = 1\n";
  writeFileSync(path, `${before}var result = ${expression}\n`);
  return readParameters(path)["result"];
}

describe("An expression", () => {
  it.each([
    ["yes ? one : a.b", 1],
    ["!yes ? one : a.b.c", "d"],
    ["one < 2 && !empty(a.list)", true],
    ["1 + 2 * 3", 7],
    ["10 - 2 - 3", 5],
    ["yes ? 'x' : yes ? 'y' : 'z'", "x"],
    ["a.list[one]", 4],
    ["a['list'][0]", 3],
    ["'\\'${a.b.c}\\' and ${one}'", "'d' and 1"],
    ["[for (n, index) in a.list: n * index]", [0, 4]],
    ["map(a.list, n => n == 3 ? 'three' : 'other')", ["three", "other"]],
    ["union({ x: { y: 1 } }, { x: { z: 2 } })", { x: { y: 1, z: 2 } }],
    ["a.?missing ?? 'fallback'", "fallback"],
    ["cidrSubnet('10.40.0.0/24', 26, 3)", "10.40.0.192/26"],
    ["empty('') && empty([]) && empty({})", true],
  ])("%s is worth what the language says", (expression, expected) => {
    expect(valueOf(expression)).toEqual(expected);
  });

  it.each([
    ["utcNow()", "the function utcNow()"],
    ["padLeft('a', 3)", "the function padLeft()"],
    ["missing", "does not declare missing"],
    ["a.missing", "no property missing"],
    ["a.list[7]", "no item 7"],
    ["one =~ 'a'", "Unexpected =~"],
    ["one ? 1 : 2", "A condition is 1"],
    ["'a' < 'b'", "< of other values than numbers"],
  ])("%s fails, as it is not known", (expression, message) => {
    expect(() => valueOf(expression)).toThrow(message);
  });
});

describe("A parameter", () => {
  it.each([
    ["is unknown", { nosuch: 1 }, "no parameter nosuch"],
    ["has another type", { maximumInstanceCount: "4" }, "is no int"],
    ["is below its minimum", { maximumInstanceCount: 0 }, "@minValue(1)"],
    ["is none of the allowed values", { apiManagement: "both" }, "@allowed"],
    ["is a region that lacks a service", { location: "antarctica" }, "@allowed"],
    ["is too short", { urgentEmails: [] }, "@minLength(1)"],
    ["is too long", { environmentName: "a-very-long-name" }, "@maxLength(12)"],
    ["lacks a property", { settings: { PLATFORM_URL: "https://platform.example.com" } }, "is no"],
    [
      "has an unknown property",
      { monthlyBudget: { amount: 1, firstMonth: "2026-12", x: 1 } },
      "unknown property x",
    ],
  ])("Is refused if it %s", (_, changes, message) => {
    expect(() => deployedWith("test", changes)).toThrow(message);
  });

  it("Is refused if it has no default and is not given", () => {
    expect(() => deployMain({})).toThrow("The parameter environmentName of infra/main.bicep is not given");
  });
});
