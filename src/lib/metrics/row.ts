/** One row of the metrics table. Infrastructure, alerts and workbook use the same columns. */

/** Column type by name, as `Custom-VmrGatewayMetrics_CL` has them in the data collection rule. */
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
  OutdatedRooms: "int",
  UnaccountedRooms: "int",
  LiveConferences: "int",
  AlarmCount: "int",
  AlarmLevel: "string",
  AlarmNames: "string",
  MaximumRooms: "int",
  PoolMinimum: "int",
} as const;

type ColumnType = { datetime: string; string: string; boolean: boolean; int: number };

/** What one metrics run measured. A value that could not be measured is null. */
export type MetricsRow = {
  -readonly [column in keyof typeof metricsColumns]: ColumnType[(typeof metricsColumns)[column]] | null;
};

/** Writes a row to wherever metrics are kept. Throws if the row was not accepted. */
export type MetricsSink = (row: MetricsRow) => Promise<void>;
