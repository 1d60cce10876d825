/** Reads the log of a deployment from its Log Analytics workspace. */
import * as z from "zod";
import { parseJson } from "../../../src/lib/json.ts";
import { UnreachableError } from "../outcomes.ts";
import { type AzureApi, azureErrorSchema, reasonOf } from "./azure-api.ts";
import { createFunctions, type LogFilter, type LogReader, loggedNames, maxLines } from "./log.ts";

// https://learn.microsoft.com/azure/azure-monitor/logs/api/response-format
const tableSchema = z.object({
  columns: z.array(z.object({ name: z.string() })),
  rows: z.array(z.array(z.unknown())),
});
const responseSchema = z.object({
  tables: z.tuple([tableSchema], tableSchema),
  /** If it is there, the rows may be a part of the result. */
  error: azureErrorSchema.extend({ details: z.array(azureErrorSchema).default([]) }).optional(),
});
export const workspaceRole = "Log Analytics Reader on the workspace";
const traceSchema = z.object({ TimeGenerated: z.string(), Message: z.string() });
const fieldsSchema = z.record(z.string(), z.unknown());

const answerSchema = z.object({
  TimeGenerated: z.string(),
  status: z.number(),
  reason: z.string().nullable(),
});

/** The app in the workspace. */
interface AppNames {
  readonly app: string;
  /** Its API in API Management, whose log is not read without it. */
  readonly apiName: string | undefined;
}

/** Creates a reader of the app's lines in the workspace with this resource ID. */
export function createAzureLog(api: AzureApi, workspaceId: string, { app, apiName }: AppNames): LogReader {
  const warnings = new Set<string>();
  async function query(text: string, hours: number): Promise<Record<string, unknown>[]> {
    const subject = { subject: "the log workspace", role: workspaceRole };
    const body = { query: text, timespan: `PT${Math.ceil(hours * 60)}M` };
    const { tables, error } = await api(`/v1${workspaceId}/query`, responseSchema, subject, body);
    const details = error?.details ?? [];
    // A query with `isfuzzy` may get mere warnings: https://github.com/Azure/azure-sdk-for-python/issues/25137
    const isWarning =
      details.length > 0 && details.every((each) => each.innererror?.severityName === "Warning");
    if (error && !isWarning)
      throw new UnreachableError(`The log is incomplete. Azure says: ${reasonOf(details[0] ?? error)}`);
    for (const detail of details) warnings.add(reasonOf(detail));
    const [{ columns, rows }] = tables;
    return rows.map((row) => Object.fromEntries(columns.map(({ name }, index) => [name, row[index]])));
  }
  return {
    warnings,
    lines: async (filter) => {
      const rows = await query(linesQuery(app, filter), filter.hours);
      return rows.toReversed().flatMap((row) => {
        const { TimeGenerated: time, Message } = traceSchema.parse(row);
        const fields = fieldsSchema.safeParse(parseJson(Message));
        return fields.success ? [{ time, fields: fields.data }] : [];
      });
    },
    answeredByApiManagement: async () => {
      if (apiName === undefined) return undefined;
      const calls = await query(apiManagementQuery(apiName), 24);
      if (calls.length === 0) return undefined;
      return calls.toReversed().flatMap((call) => {
        const { TimeGenerated: time, ...fields } = answerSchema.safeParse(call).data ?? {};
        return time === undefined ? [] : [{ time, fields: { ...fields, function: createFunctions[0] } }];
      });
    },
    loadFailure: async () => {
      const [row] = await query(loadFailureQuery(app), 1);
      return row && z.object({ reason: z.string() }).parse(row).reason;
    },
    newestMetrics: async () => (await query(metricsQuery(app), 24))[0],
  };
}

/** Returns the query for the newest metrics row. */
function metricsQuery(app: string): string {
  return `VmrGatewayMetrics_CL | where App =~ ${literal(app)} | order by TimeGenerated desc | take 1`;
}

/** Returns the query for the settings that the app refused when it was loaded: the host logs the text of the error. */
function loadFailureQuery(app: string): string {
  return [
    "AppTraces",
    `where AppRoleName =~ ${literal(app)} and Message has "Invalid settings"`,
    "order by TimeGenerated desc",
    "take 1",
    'project reason = extract("Invalid settings: .*", 0, Message)',
  ].join("\n| ");
}

/**
 * Returns the query for a row if API Management logs calls here, and for the creates of the last hour that it refused or
 * failed itself. Those that the app failed have the app's status as BackendResponseCode.
 */
function apiManagementQuery(apiName: string): string {
  // The table exists only if API Management logs to the workspace.
  const empty =
    "datatable(TimeGenerated:datetime, ApiId:string, OperationId:string, ResponseCode:int, BackendResponseCode:int, LastErrorReason:string)[]";
  return [
    `union isfuzzy=true (${empty}), ApiManagementGatewayLogs`,
    `where ApiId == ${literal(apiName)}`,
    "extend isRefused = ResponseCode in (401, 403) and isnotempty(LastErrorReason)",
    "extend isFailed = ResponseCode == 429 or (ResponseCode >= 500 and (isnull(BackendResponseCode) or BackendResponseCode < 500))",
    'extend isOwn = TimeGenerated > ago(1h) and OperationId startswith "create-room" and (isRefused or isFailed)',
    "project TimeGenerated, status = iff(isOwn, ResponseCode, int(null)), reason = LastErrorReason",
    "order by isnull(status) asc, TimeGenerated desc",
    "take 1000",
  ].join("\n| ");
}

/** Returns the query for the lines that a filter selects, the newest first. */
function linesQuery(app: string, { room, events, functions }: LogFilter): string {
  const among = (field: string, values: readonly (string | undefined)[] | undefined): string[] => {
    const known = values?.filter((value) => value !== undefined) ?? [];
    return known.length === 0 ? [] : [`where tostring(entry.${field}) in (${known.map(literal).join(", ")})`];
  };
  return [
    "AppTraces",
    `where AppRoleName =~ ${literal(app)}`,
    "extend entry = parse_json(Message)",
    ...among("room", room === undefined ? [] : loggedNames(room)),
    ...among("event", events),
    ...among("function", functions),
    "project TimeGenerated, Message",
    "order by TimeGenerated desc",
    `take ${maxLines}`,
  ].join("\n| ");
}

/** KQL's string literals have the escapes of JSON's. */
function literal(text: string): string {
  return JSON.stringify(text);
}
