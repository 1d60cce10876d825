/**
 * The specification is complete and can be cited: its numbers, the places that cite them, and its tables of operations.
 */
import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { operations } from "../support/api-document.ts";

const specification = "docs/specification.md";
const text = readFileSync(specification, "utf8");
const sections = [...text.matchAll(/^##+ (\d+(?:\.\d+)?)\.? /gm)].map(([, number = ""]) => number);
const requirements = [...text.matchAll(/^(?:\*\*|\| )(\d+(?:\.\d+)+)(?:\*\*| \|)/gm)].map(
  ([, number = ""]) => number,
);

test("Every section that code and tests cite exists", () => {
  const files = globSync(["{src,test,scripts}/**/*.ts", "tools/{local,simulators}/**/*.ts"]);
  const cited = files.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/(?:§|[Ss]pecification )(\d+(?:\.\d+)*)/g)].map(
      ([, number = ""]) => number,
    ),
  );
  expect(cited).not.toEqual([]);
  const known = [...sections, ...requirements];
  expect(cited.filter((number) => !known.includes(number))).toEqual([]);
});

const securitySchemes: Readonly<Record<string, readonly string[]>> = {
  "header `x-auth-token`": ["agentToken"],
  "HTTP Basic": ["eventSinkCredentials"],
  none: [],
};

/** The rows of the operations in a section: they are the only list of operations that is not derived from code. */
function specifiedOperations(section: string) {
  const start = text.split(new RegExp(`^### ${section.replace(".", "\\.")} .*$`, "m"))[1] ?? "";
  const rows = [
    ...(start.split(/^##/m)[0] ?? "").matchAll(/^\| (\w+_\w+) \| `(\w+) (\S+)`[^|]* \|(.*)\|$/gm),
  ];
  return rows.map(([, operationId = "", method = "", path = "", rest = ""]) => {
    const cells = rest.split(" |").map((cell) => cell.trim());
    const schemes = section === "4.1" ? ["bearerToken"] : securitySchemes[cells[0] ?? ""];
    return { operationId, method: method.toLowerCase(), path, schemes, success: cells.at(-1)?.slice(0, 3) };
  });
}

test("`openapi.json` has exactly the operations of section 4, with method, path, authentication and success status", () => {
  const documented = operations.map(({ operationId, method, path, security, responses }) => {
    const schemes = security.flatMap((scheme) => Object.keys(scheme));
    const success = Object.keys(responses).filter((status) => status.startsWith("2"));
    return { operationId, method, path, schemes, success: success.join() };
  });
  const specified = [...specifiedOperations("4.1"), ...specifiedOperations("4.2")];
  const byId = (list: typeof specified) => Object.fromEntries(list.map((row) => [row.operationId, row]));
  expect(byId(documented), "add the row to section 4").toEqual(byId(specified));
});
