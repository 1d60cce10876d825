/** Reads Kusto queries with Microsoft's language service, and finds their errors. */
import { createRequire } from "node:module";
import { metricsColumns } from "../../src/lib/metrics/measurement.ts";

/** As far as it is used here; the package's own types are those of a global namespace in a browser. */
interface LanguageService {
  readonly KustoCode: { ParseAndAnalyze(query: string, globals: object): AnalysedQuery };
  readonly Syntax: { readonly SyntaxKind: Readonly<Record<string, number>> };
  readonly GlobalState: { readonly Default: { WithDatabase(database: object): object } };
  readonly Symbols: {
    readonly DatabaseSymbol: { readonly ctor: new (name: string, members: readonly object[]) => object };
    readonly TableSymbol: {
      readonly $ctor7: new (name: string, schema: string, description: null) => object;
    };
  };
}

interface SyntaxNode {
  readonly Kind: number;
  readonly Text: string;
  readonly ChildCount: number;
  GetChild(index: number): SyntaxNode | null;
}

interface AnalysedQuery {
  readonly Syntax: SyntaxNode;
  GetDiagnostics(): { readonly Count: number; getItem(index: number): { readonly Message: string } };
}

const require = createRequire(import.meta.url);
require("@kusto/language-service-next/bridge.min.js");
require("@kusto/language-service-next/Kusto.Language.Bridge.min.js");
const { Kusto } = globalThis as unknown as { Kusto: { Language: LanguageService } };
const { KustoCode, GlobalState, Symbols, Syntax } = Kusto.Language;

/** Columns that every table of Application Insights has, as far as queries use them. */
const ofEveryAppTable =
  "TenantId:string, OperationId:string, OperationName:string, ParentId:string, Type:string, _ResourceId:string, " +
  "AppRoleName:string, AppRoleInstance:string, AppVersion:string, ClientIP:string, ItemCount:int, " +
  "TimeGenerated:datetime, Properties:dynamic, Measurements:dynamic, _BilledSize:real";
const ofEveryResult = "Name:string, Success:bool, DurationMs:real";
const measured = Object.entries(metricsColumns).map(
  ([name, type]) => `${name}:${type.replace("boolean", "bool")}`,
);

/**
 * The columns of the tables that queries read, with their types. The gateway's own table comes from the code; the
 * others are those of Azure Monitor: https://learn.microsoft.com/azure/azure-monitor/reference/tables/apptraces,
 * /apprequests, /appexceptions, /appavailabilityresults and /apimanagementgatewaylogs.
 */
const tableSchemas: Readonly<Record<string, string>> = {
  // The data collection rule adds the last two columns.
  VmrGatewayMetrics_CL: `${measured.join(", ")}, App:string, Environment:string`,
  AppTraces: `${ofEveryAppTable}, Message:string, SeverityLevel:int`,
  AppRequests: `${ofEveryAppTable}, ${ofEveryResult}, Id:string, Url:string, ResultCode:string, PerformanceBucket:string`,
  AppExceptions:
    `${ofEveryAppTable}, ExceptionType:string, OuterMessage:string, OuterType:string, ` +
    "InnermostMessage:string, ProblemId:string, SeverityLevel:int",
  AppAvailabilityResults: `${ofEveryAppTable}, ${ofEveryResult}, Location:string, Message:string`,
  ApiManagementGatewayLogs:
    "TenantId:string, ApiId:string, OperationId:string, CorrelationId:string, _ResourceId:string, Region:string, " +
    "CallerIpAddress:string, Method:string, Url:string, LastErrorReason:string, LastErrorSource:string, " +
    "TimeGenerated:datetime, ResponseCode:int, BackendResponseCode:int, BackendTime:long, TotalTime:long, " +
    "IsRequestSuccess:bool, _BilledSize:real",
};

const tables = Object.entries(tableSchemas).map(
  ([name, schema]) => new Symbols.TableSymbol.$ctor7(name, `(${schema})`, null),
);
const globals = GlobalState.Default.WithDatabase(new Symbols.DatabaseSymbol.ctor("workspace", tables));

/** The messages of the language service: unknown tables, columns and functions, wrong types, wrong syntax. */
export function faultsOf(query: string): string[] {
  const diagnostics = KustoCode.ParseAndAnalyze(query, globals).GetDiagnostics();
  return Array.from({ length: diagnostics.Count }, (_, index) => diagnostics.getItem(index).Message);
}

// The first analysis blocks the process for seconds, in which a server of the same test could not respond.
faultsOf("AppTraces");

/** A part of a query, without keywords and signs. Only a part without further parts has a text. */
export interface KustoNode {
  readonly kind: string;
  readonly text: string;
  readonly parts: readonly KustoNode[];
}

const kinds = new Map(Object.entries(Syntax.SyntaxKind).map(([kind, number]) => [number, kind]));
const wrapper =
  /^(?:ExpressionStatement|List|Name(?:Declaration|Reference)|Parenthesized.*|PartitionSubquery|QueryBlock|SeparatedElement)$/;

function nodesOf(syntax: SyntaxNode): KustoNode[] {
  const kind = kinds.get(syntax.Kind) ?? "";
  if (/(?:Token|Keyword)$/.test(kind)) return [];
  const children = Array.from({ length: syntax.ChildCount }, (_, index) => syntax.GetChild(index));
  const present = children.filter((child) => child !== null && child !== undefined);
  const parts = present.flatMap(nodesOf);
  if (wrapper.test(kind)) return parts;
  return [{ kind, text: parts.length === 0 ? (present[0]?.Text ?? "") : "", parts }];
}

/** Returns the statements of a query. */
export const statementsOf = (query: string): readonly KustoNode[] =>
  nodesOf(KustoCode.ParseAndAnalyze(query, globals).Syntax);
