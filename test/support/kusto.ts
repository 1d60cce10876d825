/** Finds errors in Kusto queries with Microsoft's language service. */
import { createRequire } from "node:module";
import { tableSchemas } from "./kusto-tables.ts";

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
  GetDiagnostics(): { readonly Count: number; getItem(index: number): { readonly Message: string } };
}

const require = createRequire(import.meta.url);
require("@kusto/language-service-next/bridge.min.js");
require("@kusto/language-service-next/Kusto.Language.Bridge.min.js");
const { Kusto } = globalThis as unknown as { Kusto: { Language: LanguageService } };
const { KustoCode, GlobalState, Symbols } = Kusto.Language;

const tables = Object.entries(tableSchemas).map(
  ([name, schema]) => new Symbols.TableSymbol.$ctor7(name, `(${schema})`, null),
);
const globals = GlobalState.Default.WithDatabase(new Symbols.DatabaseSymbol.ctor("workspace", tables));

/** The messages of the language service: unknown tables, columns and functions, wrong types, wrong syntax. */
export function faultsOf(query: string): string[] {
  const diagnostics = KustoCode.ParseAndAnalyze(query, globals).GetDiagnostics();
  return Array.from({ length: diagnostics.Count }, (_, index) => diagnostics.getItem(index).Message);
}
