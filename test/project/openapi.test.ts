/** The API document is up to date, complete, and in the form that API Management imports completely. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { createDocument, jsonText, loadHttpContracts } from "../../scripts/openapi/document.ts";
import { version } from "../../src/lib/version.ts";
import { bodiesOf, document, documentText, nodes, operations } from "../support/api-document.ts";

const linter = fileURLToPath(import.meta.resolve("@redocly/cli/bin/cli.js"));
// Otherwise, it would query a server for its newest version.
const quiet = { REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", REDOCLY_TELEMETRY: "off" };

const schemaNodes = [...nodes(document.components.schemas)];

describe("openapi.json", () => {
  it("is what npm run openapi would write", async () => {
    const written = `${jsonText(createDocument(await loadHttpContracts()))}\n`;
    expect(written).toBe(documentText);
  });

  it("passes the linter without errors or warnings", async () => {
    const env = { ...process.env, ...quiet };
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [linter, "lint", "openapi.json"], {
      env,
    });
    expect(`${stdout}${stderr}`).toMatch(/Your API description is valid/);
    expect(`${stdout}${stderr}`).not.toMatch(/warning|error/i);
  });

  it("is OpenAPI 3.0.3 and has the interface version 1.0.0 (specification 9)", () => {
    expect(document.openapi).toBe("3.0.3");
    expect(document.info.version).toBe(version);
    expect(document.info.version).toBe("1.0.0");
  });

  it("has the tags private and public and three security schemes that are all in use", () => {
    expect(document.tags.map(({ name }) => name)).toEqual(["private", "public"]);
    const { securitySchemes } = document.components;
    expect(Object.values(securitySchemes).map(({ type }) => type)).toEqual(["oauth2", "apiKey", "http"]);
    const used = operations.flatMap(({ security }) => security.flatMap((scheme) => Object.keys(scheme)));
    expect(new Set(used)).toEqual(new Set(Object.keys(securitySchemes)));
  });

  it.each(["Token", "Retries", "Caching", "Rate limits", "Errors", "Versions"])("explains %s", (section) => {
    expect(document.info.description).toMatch(new RegExp(`^## ${section}\\n\\n.{60}`, "m"));
  });
});

describe("For API Management, openapi.json", () => {
  it("has operation ids that differ even if case is ignored", () => {
    const ids = operations.map(({ operationId }) => operationId.toLowerCase());
    expect(new Set(ids).size).toBe(ids.length);
  });

  // https://learn.microsoft.com/azure/templates/microsoft.apimanagement/service/apis/operations
  it("has descriptions of operations of up to 1,000 characters", () => {
    expect(operations.filter(({ description }) => description.length > 1000)).toEqual([]);
  });

  it("has unique parameters, declares every path parameter and requires no query parameter", () => {
    for (const { path, parameters } of operations) {
      const names = parameters.map(({ name }) => name.toLowerCase());
      expect(new Set(names).size).toBe(names.length);
      expect(parameters.filter((parameter) => parameter.in === "query" && parameter.required)).toEqual([]);
      const inPath = parameters.filter((parameter) => parameter.in === "path").map(({ name }) => `{${name}}`);
      expect(inPath).toEqual(path.match(/\{[^}]*\}/g) ?? []);
    }
  });

  it("has bodies that refer to components, and no inline object with fields", () => {
    const bodies = operations.flatMap((operation) => bodiesOf(operation));
    expect(bodies.length).toBeGreaterThan(50);
    expect(bodies.filter(([, { schema }]) => Object.keys(schema).join() !== "$ref")).toEqual([]);
    const inline = schemaNodes.filter(([place, node]) => "properties" in node && place.split("/").length > 2);
    expect(inline.filter(([place]) => !place.endsWith("/properties")).map(([place]) => place)).toEqual([]);
  });
});
