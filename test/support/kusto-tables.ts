/**
 * The tables that queries read. The gateway's own table comes from the code; the others are those of Azure Monitor, with
 * the columns that Microsoft lists: https://learn.microsoft.com/azure/azure-monitor/reference/tables/apptraces,
 * /apprequests, /appexceptions, /appavailabilityresults and /apimanagementgatewaylogs.
 */
import { metricsColumns } from "../../src/lib/metrics/measurement.ts";

type Columns = Readonly<Record<string, string>>;

/** The type of each column, from the names of the columns by their type. */
function columns(namesByType: Readonly<Record<string, readonly string[]>>): Columns {
  return Object.fromEntries(
    Object.entries(namesByType).flatMap(([type, names]) => names.map((name) => [name, type])),
  );
}

/** Columns that every table of Application Insights has, as far as queries use them. */
const ofEveryAppTable: Columns = {
  ...columns({ string: ["TenantId", "OperationId", "OperationName", "ParentId", "Type", "_ResourceId"] }),
  ...columns({ string: ["AppRoleName", "AppRoleInstance", "AppVersion", "ClientIP"], int: ["ItemCount"] }),
  ...columns({ datetime: ["TimeGenerated"], dynamic: ["Properties", "Measurements"] }),
};
const ofEveryResult = columns({ string: ["Name"], bool: ["Success"], real: ["DurationMs"] });

export const tableSchemas: Readonly<Record<string, Columns>> = {
  VmrGatewayMetrics_CL: {
    ...Object.fromEntries(
      Object.entries(metricsColumns).map(([name, type]) => [name, type === "boolean" ? "bool" : type]),
    ),
    // The data collection rule adds them.
    ...columns({ string: ["App", "Environment"] }),
  },
  AppTraces: { ...ofEveryAppTable, ...columns({ string: ["Message"], int: ["SeverityLevel"] }) },
  AppRequests: {
    ...ofEveryAppTable,
    ...ofEveryResult,
    ...columns({ string: ["Id", "Url", "ResultCode", "PerformanceBucket"] }),
  },
  AppExceptions: {
    ...ofEveryAppTable,
    ...columns({ string: ["ExceptionType", "OuterMessage", "OuterType", "InnermostMessage", "ProblemId"] }),
    ...columns({ int: ["SeverityLevel"] }),
  },
  AppAvailabilityResults: {
    ...ofEveryAppTable,
    ...ofEveryResult,
    ...columns({ string: ["Location", "Message"] }),
  },
  ApiManagementGatewayLogs: {
    ...columns({ string: ["TenantId", "ApiId", "OperationId", "CorrelationId", "_ResourceId", "Region"] }),
    ...columns({ string: ["CallerIpAddress", "Method", "Url", "LastErrorReason", "LastErrorSource"] }),
    ...columns({ datetime: ["TimeGenerated"], int: ["ResponseCode", "BackendResponseCode"] }),
    ...columns({ long: ["BackendTime", "TotalTime"], bool: ["IsRequestSuccess"] }),
  },
};
