/** Bicep files as syntax trees: what the project's tests need to compare the infrastructure with the code. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Language, type Node, Parser } from "web-tree-sitter";

const grammar = fileURLToPath(import.meta.resolve("tree-sitter-bicep/tree-sitter-bicep.wasm"));
await Parser.init();
const parser = new Parser().setLanguage(await Language.load(grammar));

/** The files below `infra/` with that ending, as paths from the project's root. */
export function infraFiles(ending: string): string[] {
  return readdirSync("infra", { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(ending))
    .map((name) => join("infra", name))
    .sort();
}

/** The syntax tree of one file. Parameter files are read with `var` for `param`: the grammar knows no values there. */
export function parseBicep(path: string): Node {
  const text = readFileSync(path, "utf8");
  const isParameterFile = path.endsWith(".bicepparam");
  const tree = parser.parse(isParameterFile ? text.replaceAll(/^param /gm, "var ") : text);
  if (!tree) throw new Error(`${path} was not parsed`);
  return tree.rootNode;
}

/** The declarations of one kind in a file, by name: `parameter`, `module`, `variable`, `type` or `resource`. */
export function declarations(root: Node, kind: string): Map<string, Node> {
  return new Map(
    root.namedChildren
      .filter((node) => node?.type === `${kind}_declaration`)
      .map((node): [string, Node] => [node?.namedChild(0)?.text ?? "", node ?? root]),
  );
}

/** The entries of an object literal by name, each with the node of its value (or of its type, in a type). */
export function entries(object: Node | null | undefined): Map<string, Node> {
  return new Map(
    children(object)
      .filter((node) => node.type === "object_property")
      .map((node): [string, Node] => [unquoted(node.namedChild(0)), node.namedChild(1) ?? node]),
  );
}

/** The first object literal in a declaration: its value, the body of a resource or the fields of a type. */
export function body(declaration: Node | undefined): Node {
  const found = declaration?.descendantsOfType("object")[0];
  if (!found) throw new Error("the declaration has no object");
  return found;
}

/** The named children of a node. */
export function children(node: Node | null | undefined): Node[] {
  return (node?.namedChildren ?? []).filter((child) => child !== null);
}

/** The text of a string literal without its quotes; of anything else, the text as it stands. */
export function unquoted(node: Node | null | undefined): string {
  return (node?.text ?? "").replaceAll(/^'|'$/g, "").replaceAll("\\'", "'");
}
