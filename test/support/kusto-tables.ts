/**
 * The tables that queries read. The gateway's own table comes from the code; the others are those of Azure Monitor, with
 * the columns that Microsoft lists: https://learn.microsoft.com/azure/azure-monitor/reference/tables/apptraces,
 * /apprequests, /appexceptions, /appavailabilityresults and /apimanagementgatewaylogs.
 */
import { metricsColumns } from "../../src/lib/metrics/measurement.ts";

/** Columns that every table of Application Insights has, as far as queries use them. */
const ofEveryAppTable =
  "TenantId:string, OperationId:string, OperationName:string, ParentId:string, Type:string, _ResourceId:string, " +
  "AppRoleName:string, AppRoleInstance:string, AppVersion:string, ClientIP:string, ItemCount:int, " +
  "TimeGenerated:datetime, Properties:dynamic, Measurements:dynamic";
const ofEveryResult = "Name:string, Success:bool, DurationMs:real";
const measured = Object.entries(metricsColumns).map(
  ([name, type]) => `${name}:${type.replace("boolean", "bool")}`,
);

/** The columns with their types, by the names of the tables. */
export const tableSchemas: Readonly<Record<string, string>> = {
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
    "IsRequestSuccess:bool",
};
