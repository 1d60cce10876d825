/** The columns of the metrics table, by name and type; infrastructure, alerts and workbook use the same. */

/** `Custom-VmrGatewayMetrics_CL` in the data collection rule. Counts that could not be read are null. */
export const metricsColumns = {
  TimeGenerated: "datetime",
  RunId: "string",
  InstanceId: "string",
  Version: "string",
  PlatformConnected: "boolean",
  PoolDepth: "int",
  DeletionDepth: "int",
  DeletionOldestSeconds: "int",
  ProvisioningDepth: "int",
  PoisonDepth: "int",
  AvailableRooms: "int",
  InUseRooms: "int",
  UnaccountedRooms: "int",
  LiveConferences: "int",
  AlarmCount: "int",
  AlarmLevel: "string",
  AlarmNames: "string",
  MaximumRooms: "int",
  PoolMinimum: "int",
} as const;

type ColumnType = { datetime: string; string: string; boolean: boolean; int: number };

export type MetricsRow = {
  -readonly [column in keyof typeof metricsColumns]: ColumnType[(typeof metricsColumns)[column]] | null;
};
