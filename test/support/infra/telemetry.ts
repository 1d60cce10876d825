/** Rows of telemetry as the gateway and Azure write them, for the alert queries. */
import type { InvocationContext } from "@azure/functions";
import { createLog, type LogFields, type MetricsRow } from "./code-facts.ts";
import type { Row } from "./kusto/scalar.ts";

/** The time at which an alert rule looks. */
export const now = Date.parse("2026-11-22T12:00:00Z");
const minutesAgo = (minutes: number): number => now - minutes * 60_000;

export const appName = "func-vmr-test-example";

/** A line of the app's log in AppTraces: the app's own logger writes it. */
export function trace(minutes: number, functionName: string, event: string, fields: LogFields = {}): Row {
  const lines: string[] = [];
  const keep = (line: unknown): void => void lines.push(String(line));
  // The logger reads no other part of the context.
  const context = { functionName, invocationId: "example", info: keep, warn: keep, error: keep };
  createLog(context as unknown as InvocationContext).info(event, fields);
  return { TimeGenerated: minutesAgo(minutes), AppRoleName: appName, Message: lines[0] ?? "" };
}

/** The line that the app logs for each HTTP request. */
export function request(minutes: number, functionName: string, status: number, code?: string): Row {
  return trace(minutes, functionName, "request", { status, code, durationMilliseconds: 12 });
}

/** A row of AppRequests, which the Functions host writes for each invocation. */
export function invocation(minutes: number, functionName: string): Row {
  const fields = { OperationName: functionName, Name: functionName, Success: true, ResultCode: "0" };
  return { TimeGenerated: minutesAgo(minutes), AppRoleName: appName, ...fields };
}

/** The result of one place of the availability test. */
export function availability(minutes: number, isSuccess: boolean): Row {
  return { TimeGenerated: minutesAgo(minutes), Name: `${appName}-health`, Success: isSuccess };
}

/** The line that API Management writes for a call to the environment's API. */
export function call(minutes: number, status: number): Row {
  return { TimeGenerated: minutesAgo(minutes), ApiId: "vmr-gateway-test", ResponseCode: status };
}

/** A metrics row of a gateway without trouble, with the given values instead of its own. */
export function metrics(minutes: number, changes: Partial<MetricsRow> = {}): Row {
  const row: MetricsRow = {
    TimeGenerated: null,
    RunId: "run",
    InstanceId: "instance",
    Version: "1.0.0",
    PlatformConnected: true,
    PoolDepth: 40,
    DeletionDepth: 2,
    DeletionOldestSeconds: 300,
    ProvisioningDepth: 3,
    PoisonDepth: 0,
    AvailableRooms: 41,
    InUseRooms: 7,
    OutdatedRooms: 0,
    UnaccountedRooms: 0,
    LiveConferences: 5,
    AlarmCount: 0,
    AlarmLevel: "none",
    AlarmNames: "",
    MaximumRooms: 50,
    PoolMinimum: 25,
    ...changes,
  };
  return { ...row, TimeGenerated: minutesAgo(minutes) };
}

/** The same row of telemetry from another app that writes to the same workspace. */
export function ofAnotherApp(row: Row): Row {
  return { ...row, AppRoleName: "func-another" };
}
