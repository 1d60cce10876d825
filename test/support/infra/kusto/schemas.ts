/**
 * The tables that queries read. The gateway's own table comes from the code; the others are those of Azure Monitor, with
 * the columns that Microsoft lists: https://learn.microsoft.com/azure/azure-monitor/reference/tables/apptraces,
 * /apprequests, /appdependencies, /appexceptions, /appavailabilityresults and /apimanagementgatewaylogs.
 */
import { metricsColumns } from "../code-facts.ts";

type Columns = Readonly<Record<string, string>>;

/** Columns that every table of Application Insights has, as far as they are of use. */
const ofEveryAppTable: Columns = {
  TenantId: "string",
  TimeGenerated: "datetime",
  OperationId: "string",
  OperationName: "string",
  ParentId: "string",
  AppRoleName: "string",
  AppRoleInstance: "string",
  AppVersion: "string",
  ClientIP: "string",
  ItemCount: "int",
  Properties: "dynamic",
  Measurements: "dynamic",
  Type: "string",
  _ResourceId: "string",
};

export const tableSchemas: Readonly<Record<string, Columns>> = {
  VmrGatewayMetrics_CL: Object.fromEntries(
    Object.entries(metricsColumns).map(([name, type]) => [name, type === "boolean" ? "bool" : type]),
  ),
  AppTraces: { ...ofEveryAppTable, Message: "string", SeverityLevel: "int" },
  AppRequests: {
    ...ofEveryAppTable,
    Id: "string",
    Name: "string",
    Url: "string",
    Success: "bool",
    ResultCode: "string",
    DurationMs: "real",
    PerformanceBucket: "string",
  },
  AppDependencies: {
    ...ofEveryAppTable,
    Id: "string",
    Name: "string",
    Target: "string",
    DependencyType: "string",
    Data: "string",
    Success: "bool",
    ResultCode: "string",
    DurationMs: "real",
  },
  AppExceptions: {
    ...ofEveryAppTable,
    ExceptionType: "string",
    OuterMessage: "string",
    OuterType: "string",
    InnermostMessage: "string",
    ProblemId: "string",
    SeverityLevel: "int",
  },
  AppAvailabilityResults: {
    ...ofEveryAppTable,
    Name: "string",
    Location: "string",
    Message: "string",
    Success: "bool",
    DurationMs: "real",
  },
  ApiManagementGatewayLogs: {
    TenantId: "string",
    TimeGenerated: "datetime",
    ApiId: "string",
    OperationId: "string",
    CorrelationId: "string",
    CallerIpAddress: "string",
    Method: "string",
    Url: "string",
    ResponseCode: "int",
    BackendResponseCode: "int",
    BackendTime: "long",
    TotalTime: "long",
    IsRequestSuccess: "bool",
    LastErrorReason: "string",
    LastErrorSource: "string",
    Region: "string",
    _ResourceId: "string",
  },
};
