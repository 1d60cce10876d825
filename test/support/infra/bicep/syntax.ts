/** Bicep files as declarations: the syntax tree of tree-sitter-bicep, cut into tokens that expressions are read from. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Language, type Node, Parser } from "web-tree-sitter";

const grammar = fileURLToPath(import.meta.resolve("tree-sitter-bicep/tree-sitter-bicep.wasm"));
await Parser.init();
const parser = new Parser().setLanguage(await Language.load(grammar));

/** A leaf of the syntax tree; a string literal is one token, with the tokens of its interpolations inside `node`. */
export interface Token {
  readonly text: string;
  readonly type: string;
  readonly node: Node;
}

export interface Declaration {
  readonly kind: string;
  readonly name: string;
  readonly node: Node;
  readonly decorators: readonly Node[];
}

const declarationKinds = new Map([
  ["parameter_declaration", "param"],
  ["variable_declaration", "var"],
  ["type_declaration", "type"],
  ["resource_declaration", "resource"],
  ["module_declaration", "module"],
  ["output_declaration", "output"],
]);
const notDeclarations = ["comment", "target_scope_assignment", "using_statement"];

/** The root of a file's syntax tree. Throws an Error if the grammar does not understand a place in it. */
export function parseFile(path: string): Node {
  const text = readFileSync(path, "utf8");
  // The grammar knows no values of parameters: a parameter file is read with `var` for `param`.
  const tree = parser.parse(path.endsWith(".bicepparam") ? text.replaceAll(/^param /gm, "var ") : text);
  if (!tree || tree.rootNode.hasError) throw new Error(`${path} has a syntax error`);
  return tree.rootNode;
}

/** The declarations of a file in order. Throws an Error if it holds a statement that is none of the known ones. */
export function readDeclarations(root: Node): Declaration[] {
  let decorators: Node[] = [];
  return childrenOf(root).flatMap((node) => {
    if (node.type === "decorators") {
      decorators = childrenOf(node);
      return [];
    }
    const kind = declarationKinds.get(node.type);
    if (kind === undefined && !notDeclarations.includes(node.type))
      throw new Error(`Unknown statement ${node.type}: ${node.text}`);
    const own = decorators;
    if (node.type !== "comment") decorators = [];
    return kind === undefined ? [] : [{ kind, name: node.namedChild(0)?.text ?? "", node, decorators: own }];
  });
}

/** The tokens of a node in order, without comments. */
export function tokensOf(node: Node): Token[] {
  if (node.type === "comment") return [];
  if (node.type === "string" || node.childCount === 0) return [{ text: node.text, type: node.type, node }];
  return node.children.flatMap((child) => (child === null ? [] : tokensOf(child)));
}

/** The named children of a node. */
export function childrenOf(node: Node): Node[] {
  return node.namedChildren.filter((child) => child !== null);
}
