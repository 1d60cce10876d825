/** No text that a stranger sends makes a regular expression slow. */
import { globSync, readFileSync } from "node:fs";
import { parseSync, Visitor } from "oxc-parser";
import { isSafePattern } from "redos-detector";
import { expect, test } from "vitest";

interface Expression {
  readonly file: string;
  readonly pattern: string;
  readonly flags: string;
}

/** Returns the literals of a file. Throws an Error if the file builds an expression while it runs. */
function expressionsOf(file: string): Expression[] {
  const { program, errors } = parseSync(file, readFileSync(file, "utf8"));
  expect(errors).toEqual([]);
  const found: Expression[] = [];
  const visitor = new Visitor({
    Literal: (node) => {
      if ("regex" in node) found.push({ file, ...node.regex });
    },
    Identifier: ({ name }) => {
      if (name === "RegExp") throw new Error(`${file}: this test cannot judge an expression that is built`);
    },
  });
  visitor.visit(program);
  return found;
}

/** Whether the number of steps has a bound, for any text of any length: the library tries all ways to match. */
const isLinear = ({ pattern, flags }: Expression): boolean =>
  isSafePattern(pattern, { caseInsensitive: flags.includes("i"), unicode: flags.includes("u") }).safe;

test("Every regular expression of the gateway needs linear time for any text", () => {
  const expressions = globSync("src/**/*.ts").flatMap(expressionsOf);
  expect(expressions.length).toBeGreaterThan(0);
  expect(expressions.filter((expression) => !isLinear(expression))).toEqual([]);
});
