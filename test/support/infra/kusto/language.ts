/** Microsoft's own language service for Kusto queries: what is wrong with a query, and its syntax tree. */
import { createRequire } from "node:module";
import { tableSchemas } from "./schemas.ts";

/** As far as it is used here; the package's own types are those of a global namespace in a browser. */
interface LanguageService {
  readonly KustoCode: { ParseAndAnalyze(query: string, globals: object): AnalysedQuery };
  readonly GlobalState: { readonly Default: { WithDatabase(database: object): object } };
  readonly Symbols: {
    readonly DatabaseSymbol: { readonly ctor: new (name: string, members: readonly object[]) => object };
    readonly TableSymbol: {
      readonly $ctor7: new (name: string, schema: string, description: null) => object;
    };
  };
}

interface AnalysedQuery {
  readonly Syntax: ServiceNode;
  GetDiagnostics(): { readonly Count: number; getItem(index: number): { readonly Message: string } };
}

interface ServiceNode {
  readonly constructor: { readonly $$name?: string };
  readonly ChildCount: number;
  readonly Text?: string;
  GetChild(index: number): ServiceNode | null;
}

/** A node of the syntax tree: `kind` is the service's class name, `Token` for a word or sign, `List` for a list. */
export interface QueryNode {
  readonly kind: string;
  readonly text: string;
  readonly children: readonly QueryNode[];
}

const require = createRequire(import.meta.url);
require("@kusto/language-service-next/bridge.min.js");
require("@kusto/language-service-next/Kusto.Language.Bridge.min.js");
const { Kusto } = globalThis as unknown as { Kusto: { Language: LanguageService } };
const { KustoCode, GlobalState, Symbols } = Kusto.Language;

const tables = Object.entries(tableSchemas).map(([name, columns]) => {
  const schema = Object.entries(columns).map(([column, type]) => `${column}:${type}`);
  return new Symbols.TableSymbol.$ctor7(name, `(${schema.join(", ")})`, null);
});
const globals = GlobalState.Default.WithDatabase(new Symbols.DatabaseSymbol.ctor("workspace", tables));

/** The messages of the language service: unknown tables, columns and functions, wrong types, wrong syntax. */
export function faultsOf(query: string): string[] {
  const diagnostics = KustoCode.ParseAndAnalyze(query, globals).GetDiagnostics();
  return Array.from({ length: diagnostics.Count }, (_, index) => diagnostics.getItem(index).Message);
}

const parsed = new Map<string, QueryNode>();

/** The syntax tree of a query. Throws an Error if the language service finds a fault in it. */
export function parseQuery(query: string): QueryNode {
  const known = parsed.get(query);
  if (known) return known;
  const faults = faultsOf(query);
  if (faults.length > 0) throw new Error(faults.join("\n"));
  const tree = toNode(KustoCode.ParseAndAnalyze(query, globals).Syntax);
  parsed.set(query, tree);
  return tree;
}

function toNode(node: ServiceNode): QueryNode {
  const children = Array.from({ length: node.ChildCount }, (_, index) => node.GetChild(index))
    .filter((child) => child !== null)
    .map(toNode);
  const name = node.constructor.$$name ?? "";
  if (name.includes("SyntaxToken")) return { kind: "Token", text: node.Text ?? "", children: [] };
  if (name.includes("SyntaxList$1")) return { kind: "List", text: "", children: children.map(elementOf) };
  const kind = name.includes("SeparatedElement$1") ? "Element" : (name.split(".").at(-1) ?? "");
  return { kind, text: children.map(({ text }) => text).join(" "), children };
}

/** A list holds its elements together with their commas. */
function elementOf(node: QueryNode): QueryNode {
  const [first] = node.children;
  return node.kind === "Element" && first ? first : node;
}
