/** Every Bicep file parses, and modules fit together: what is declared is used, what is asked for is passed. */
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Node } from "web-tree-sitter";
import { body, declarations, entries, infraFiles, parseBicep, unquoted } from "./bicep-source.ts";

const bicepFiles = infraFiles(".bicep");

/** A line for each place that the grammar does not understand. */
function faults(node: Node): string[] {
  if (node.isError || node.isMissing) return [`line ${node.startPosition.row + 1}: ${node.text}`];
  return node.hasError ? node.children.flatMap((child) => (child ? faults(child) : [])) : [];
}

/** How often a name occurs as an expression: not as the name of a property, a declaration or an object's key. */
function uses(root: Node, name: string): number {
  return root.descendantsOfType("identifier").filter((node) => {
    const parent = node?.parent;
    const isKey = parent?.type === "object_property" && parent.namedChild(0)?.equals(node ?? root);
    const isOwnDeclaration =
      parent?.type.endsWith("_declaration") && parent.namedChild(0)?.equals(node ?? root);
    return node?.text === name && !isKey && !isOwnDeclaration;
  }).length;
}

function calls(path: string): { module: string; target: string; given: string[] }[] {
  return [...declarations(parseBicep(path), "module")].map(([module, node]) => ({
    module,
    target: join(dirname(path), unquoted(node.namedChild(1))),
    given: [...entries(entries(body(node)).get("params")).keys()],
  }));
}

const hasDefault = (parameter: Node) => /=/.test(parameter.text.replace(/^[\s\S]*?\bparam\b/, ""));

describe.each(bicepFiles)("%s", (path) => {
  const root = parseBicep(path);

  it("parses without an error", () => {
    expect(root.namedChildCount).toBeGreaterThan(1);
    expect(faults(root)).toEqual([]);
  });

  it("opens with a sentence on what it is for", () => {
    expect(root.text.split("\n")[0]).toMatch(/^\/\/ .+\.$/);
  });

  it("uses every parameter, variable, type and existing resource that it declares", () => {
    const names = ["parameter", "variable", "type"].flatMap((kind) => [...declarations(root, kind).keys()]);
    expect(names.filter((name) => uses(root, name) === 0)).toEqual([]);
  });

  it("passes each module what it declares, and nothing else", () => {
    for (const { module, target, given } of calls(path)) {
      const declared = declarations(parseBicep(target), "parameter");
      const required = [...declared].filter(([, node]) => !hasDefault(node)).map(([name]) => name);
      expect({ module, missing: required.filter((name) => !given.includes(name)) }).toEqual({
        module,
        missing: [],
      });
      expect({ module, unknown: given.filter((name) => !declared.has(name)) }).toEqual({
        module,
        unknown: [],
      });
      expect({ module, defaulted: [...declared.keys()].filter((name) => !given.includes(name)) }).toEqual({
        module,
        defaulted: [],
      });
    }
  });
});

it("composes every module that there is, from main.bicep down", () => {
  const reached = (path: string): string[] => [path, ...calls(path).flatMap(({ target }) => reached(target))];
  expect([...new Set(reached(join("infra", "main.bicep")))].sort()).toEqual(bicepFiles);
});

describe.each(infraFiles(".bicepparam"))("%s", (path) => {
  const root = parseBicep(path);
  const given = [...declarations(root, "variable").keys()];
  const declared = declarations(parseBicep(join("infra", "main.bicep")), "parameter");

  it("parses without an error", () => {
    expect(faults(root)).toEqual([]);
  });

  it("gives every parameter that has no default, and no unknown one", () => {
    expect(given.filter((name) => !declared.has(name))).toEqual([]);
    const required = [...declared].filter(([, node]) => !hasDefault(node)).map(([name]) => name);
    expect(required.filter((name) => !given.includes(name))).toEqual([]);
  });
});
