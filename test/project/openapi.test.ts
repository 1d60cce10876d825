/** The API document is complete, and in the form that API Management imports completely. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { toPattern } from "../../tools/simulators/host/routes.ts";
import { httpFunctions } from "../../tools/simulators/memory/functions.ts";
import { bodiesOf, document, hasExample, operations } from "../support/api-document.ts";

const linter = fileURLToPath(import.meta.resolve("@redocly/cli/bin/cli.js"));
// Otherwise, it would query a server for its newest version.
const quiet = { REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", REDOCLY_TELEMETRY: "off" };

it("openapi.json passes the linter, which also checks the examples, without errors or warnings", () => {
  const env = { ...process.env, ...quiet };
  const options = ["lint", "openapi.json", "--config=scripts/openapi/redocly.yaml"];
  const { stdout, stderr } = spawnSync(process.execPath, [linter, ...options], { env, encoding: "utf8" });
  const output = stdout + stderr;
  expect(output, `The linter printed ${output}`).toMatch(/Your API description is valid/);
  expect(output, `The linter printed ${output}`).not.toMatch(/warning|error/i);
});

describe.each(operations)("$operationId", (operation) => {
  const { path, method, parameters } = operation;

  // The host would choose the function whose name comes first.
  it("is the only operation that its requests match, and says whether it is deprecated", () => {
    const called = path.replace("{room_name}", "anything").replace(/\/$/, "");
    const matching = Object.values(httpFunctions).filter(
      (contract) => contract.method.toLowerCase() === method && toPattern(contract.route).test(called),
    );
    const deprecated = matching.map(({ isDeprecated = false }) => isDeprecated);
    expect(deprecated, "exclude the word in roomRoute in src/lib/rooms/read.ts").toEqual([
      operation.deprecated,
    ]);
  });

  it("has an example of every parameter and body", () => {
    const without = [...bodiesOf(operation), ...parameters].filter((part) => !hasExample(part));
    expect(without, "add it to scripts/openapi/examples.ts, or to the parameter's schema").toEqual([]);
  });
});

describe("For API Management, openapi.json", () => {
  // https://learn.microsoft.com/azure/templates/microsoft.apimanagement/service/apis/operations
  it("has descriptions of operations of up to 1,000 characters", () => {
    expect(operations.filter(({ description }) => description.length > 1000)).toEqual([]);
  });

  it("has bodies that refer to components, and no inline object with fields", () => {
    const bodies = operations.flatMap((operation) => bodiesOf(operation));
    expect(bodies.length).toBeGreaterThan(50);
    expect(bodies.filter(({ schema }) => Object.keys(schema).join() !== "$ref")).toEqual([]);
    // Only a component itself has properties, no part of it.
    const parts = Object.values(document.components.schemas).flatMap((schema) => Object.values(schema));
    expect(parts.filter((part) => JSON.stringify(part).includes('"properties":{'))).toEqual([]);
  });
});
