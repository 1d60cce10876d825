/** Every Bicep file: it says what it is for, all that it declares is used, and it is reached from main.bicep. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseFile, readDeclarations, tokensOf } from "../support/infra/bicep/syntax.ts";

const files = readdirSync("infra", { recursive: true, encoding: "utf8" })
  .filter((name) => /\.bicep(param)?$/.test(name))
  .map((name) => join("infra", name));
const templates = files.filter((path) => path.endsWith(".bicep"));

const targetsOf = (path: string): string[] =>
  readDeclarations(parseFile(path))
    .filter(({ kind }) => kind === "module")
    .map(({ node }) => join(dirname(path), (node.namedChild(1)?.text ?? "").replaceAll("'", "")));

describe.each(files)("%s", (path) => {
  it("Opens with a sentence on what it is for", () => {
    const comment = /^(?:\/\/ .*\n)+/.exec(readFileSync(path, "utf8"))?.[0] ?? "";
    expect(comment).toMatch(/\.\n$/);
  });
});

describe.each(templates)("%s", (path) => {
  it("Uses every parameter, variable, type, resource and module that it declares", () => {
    const declarations = readDeclarations(parseFile(path));
    // A resource that nothing refers to is still made, unless it exists already.
    const mustBeUsed = declarations.filter(
      ({ kind, node }) =>
        ["param", "var", "type"].includes(kind) || node.children.some((child) => child?.type === "existing"),
    );
    const used = new Set(
      declarations.flatMap(({ node, decorators }) =>
        [node, ...decorators].flatMap((part) => identifiersOf(part).slice(part === node ? 1 : 0)),
      ),
    );
    expect(mustBeUsed.map(({ name }) => name).filter((name) => !used.has(name))).toEqual([]);
  });
});

/** The identifiers of a node in order, those inside strings too, without the keys of objects. */
function identifiersOf(node: Parameters<typeof tokensOf>[0]): string[] {
  return node.descendantsOfType("identifier").flatMap((identifier) => {
    if (!identifier) return [];
    const { parent } = identifier;
    const isKey = parent?.type === "object_property" && parent.namedChild(0)?.id === identifier.id;
    return isKey ? [] : [identifier.text];
  });
}

it("main.bicep reaches every template", () => {
  const reached = (path: string): string[] => [path, ...targetsOf(path).flatMap(reached)];
  expect([...new Set(reached(join("infra", "main.bicep")))].toSorted()).toEqual(templates.toSorted());
});

it("One module makes one kind of resource", () => {
  const kinds = templates.map((path) => {
    const types = readDeclarations(parseFile(path))
      .filter(({ kind, node }) => kind === "resource" && !node.children.some((it) => it?.type === "existing"))
      .map(({ node }) => (node.namedChild(1)?.text ?? "").replace(/^'Microsoft\.(\w+)\/(\w+).*$/, "$1/$2"))
      // Roles and diagnostic settings belong to the resource that they are about.
      .filter((type) => !["Authorization/roleAssignments", "Insights/diagnosticSettings"].includes(type));
    return [path, [...new Set(types)]] as const;
  });
  const composed: Readonly<Record<string, string[]>> = {
    [join("infra", "modules", "network.bicep")]: ["Network/networkSecurityGroups", "Network/virtualNetworks"],
    [join("infra", "modules", "outbound-address.bicep")]: [
      "Network/publicIPAddresses",
      "Network/natGateways",
    ],
    [join("infra", "modules", "private-endpoints.bicep")]: [
      "Network/privateDnsZones",
      "Network/privateEndpoints",
    ],
  };
  expect(Object.fromEntries(kinds.filter(([, types]) => types.length > 1))).toEqual(composed);
});
