/** Bicep files as declarations: the syntax tree of tree-sitter-bicep, cut into tokens that expressions are read from. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Language, type Node, Parser } from "web-tree-sitter";

const grammar = fileURLToPath(import.meta.resolve("tree-sitter-bicep/tree-sitter-bicep.wasm"));
await Parser.init();
const parser = new Parser().setLanguage(await Language.load(grammar));

/** A leaf of the syntax tree. A string is one token, with the tokens of its interpolations inside `node`. */
export interface Token {
  readonly text: string;
  readonly type: string;
  readonly node: Node;
}

export interface Declaration {
  readonly kind: "param" | "var" | "resource" | "module" | "output";
  readonly name: string;
  readonly node: Node;
}

const kinds: Readonly<Record<string, Declaration["kind"]>> = {
  parameter_declaration: "param",
  variable_declaration: "var",
  resource_declaration: "resource",
  module_declaration: "module",
  output_declaration: "output",
};

/** Returns the declarations of a file in order, without types. Throws an Error if the file does not match the grammar. */
export function readDeclarations(path: string): Declaration[] {
  const text = readFileSync(path, "utf8");
  // The grammar lacks parameter values, imports and directives.
  const known = path.endsWith(".bicepparam")
    ? text.replaceAll(/^param /gm, "var ")
    : text.replaceAll(/^import .*$|^ *#disable-next-line .*$/gm, "");
  const tree = parser.parse(known);
  if (!tree || tree.rootNode.hasError) throw new Error(`${path} has a syntax error`);
  return childrenOf(tree.rootNode).flatMap((node) => {
    const kind = kinds[node.type];
    return kind === undefined ? [] : [{ kind, name: node.namedChild(0)?.text ?? "", node }];
  });
}

/** Returns the tokens of a node in order, without comments. */
export function tokensOf(node: Node): Token[] {
  if (node.type === "comment") return [];
  if (node.type === "string" || node.childCount === 0) return [{ text: node.text, type: node.type, node }];
  return node.children.flatMap((child) => (child === null ? [] : tokensOf(child)));
}

/** Returns the named children of a node. */
export function childrenOf(node: Node): Node[] {
  return node.namedChildren.filter((child) => child !== null);
}
