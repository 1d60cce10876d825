/** The policies of API Management: well-formed, in the documented order, and one for every operation of the API. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, parse } from "node:path";
import { pathToFileURL } from "node:url";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { children, declarations, entries, infraFiles, parseBicep, unquoted } from "./bicep-source.ts";

const apiModule = parseBicep(join("infra", "modules", "gateway-api.bicep"));
const arrayOf = (name: string) =>
  children(declarations(apiModule, "variable").get(name)?.descendantsOfType("array")[0]);
const privateOperations = arrayOf("privateOperations")
  .filter((node) => node.type === "string")
  .map((node) => unquoted(node));
const publicOperations = arrayOf("publicOperations")
  .filter((node) => node.type === "object")
  .map((node) => unquoted(entries(node).get("name")));

/** API Management's own rule for the names of imported operations; their operationIds are function names in snake case. */
const operationName = (operationId: string) =>
  operationId
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");

const Contract = z.object({ route: z.string(), access: z.string() });

/** Each HTTP function by the name under which the app registers it. */
async function httpFunctions() {
  const files = readdirSync(join("src", "functions")).filter((name) => /^[a-z-]+\.ts$/.test(name));
  const modules = await Promise.all(
    files.map(async (name): Promise<unknown> => import(pathToFileURL(join("src", "functions", name)).href)),
  );
  return modules.flatMap((module) =>
    Object.entries(z.record(z.string(), z.unknown()).parse(module)).flatMap(([name, value]) => {
      const contract = Contract.safeParse(value);
      return contract.success ? [{ name, ...contract.data }] : [];
    }),
  );
}

const Policy = z.object({
  policies: z.object({
    inbound: z.record(z.string(), z.unknown()),
    backend: z.record(z.string(), z.unknown()),
    outbound: z.record(z.string(), z.unknown()),
    "on-error": z.record(z.string(), z.unknown()),
  }),
});

function readPolicy(name: string) {
  const text = readFileSync(join("infra", "policies", `${name}.xml`), "utf8");
  return Policy.parse(new XMLParser({ ignoreAttributes: false, attributeNamePrefix: "" }).parse(text))
    .policies;
}

describe.each(infraFiles(".xml"))("%s", (path) => {
  const text = readFileSync(path, "utf8");

  it("is well-formed, small and says what it is for", () => {
    expect(XMLValidator.validate(text)).toBe(true);
    expect(text).toMatch(/^<!-- .+\. -->\n<policies>/);
    expect(text.split("\n").length).toBeLessThan(80);
  });

  it("has no marker that gateway-api.bicep does not fill in, and is loaded by it", () => {
    const markers = text.match(/__\w+?__/g) ?? [];
    expect(markers.filter((marker) => !apiModule.text.includes(`'${marker}'`))).toEqual([]);
    expect(apiModule.text).toContain(`loadTextContent('../policies/${parse(path).base}')`);
  });
});

it("private operations check the token before anything is counted or read", () => {
  expect(Object.keys(readPolicy("private-operation").inbound)).toEqual([
    "base",
    "validate-azure-ad-token",
    "rate-limit-by-key",
    "choose",
  ]);
  const check = readPolicy("private-operation").inbound["validate-azure-ad-token"];
  expect(
    Object.keys(z.record(z.string(), z.unknown()).parse(check)).filter((key) =>
      /-ids$|^audiences$/.test(key),
    ),
  ).toEqual(["client-application-ids", "audiences"]);
});

it("public operations answer the widget's preflight first, limit by address and check no token", () => {
  expect(Object.keys(readPolicy("public-operation").inbound)).toEqual([
    "base",
    "cors",
    "rate-limit-by-key",
    "choose",
  ]);
});

it("every operation passes a correlation id on and shows no header of the host", () => {
  const Header = z.object({ name: z.string(), "exists-action": z.string() });
  const { inbound, outbound } = readPolicy("all-operations");
  const passedOn = z.array(Header).parse(inbound["set-header"]);
  expect(passedOn).toContainEqual(
    expect.objectContaining({ name: "x-correlation-id", "exists-action": "skip" }),
  );
  const removed = z
    .array(Header)
    .parse(outbound["set-header"])
    .filter((header) => header["exists-action"] === "delete");
  expect(removed.map((header) => header.name)).toEqual(
    expect.arrayContaining(["Server", "X-Powered-By", "Request-Context"]),
  );
  expect(removed.map((header) => header.name)).not.toContain("x-invocation-id");
});

it("every HTTP function has the policy that its access asks for", async () => {
  const functions = await httpFunctions();
  const named = (isPrivate: boolean) =>
    functions
      .filter(({ access }) => (access === "application") === isPrivate)
      .map(({ name }) => operationName(name.replaceAll(/[A-Z]/g, "_$&")));
  expect(privateOperations.toSorted()).toEqual(named(true).toSorted());
  expect(publicOperations.toSorted()).toEqual(named(false).toSorted());
  expect(
    functions.filter(({ access, route }) => (access !== "application") !== route.startsWith("public/")),
  ).toEqual([]);
});

it("the imported document names the same operations and is small enough to be loaded into a template", () => {
  const Document = z.object({
    openapi: z.string().regex(/^3\.0\.\d$/),
    paths: z.record(z.string(), z.record(z.string(), z.looseObject({ operationId: z.string() }))),
  });
  const { paths } = Document.parse(JSON.parse(readFileSync("openapi.json", "utf8")));
  const operationIds = Object.values(paths).flatMap((path) =>
    Object.values(path).map(({ operationId }) => operationId),
  );
  expect(operationIds.map(operationName).toSorted()).toEqual(
    [...privateOperations, ...publicOperations].toSorted(),
  );
  // loadTextContent() takes no file above this length.
  expect(statSync("openapi.json").size).toBeLessThan(131_072);
});
