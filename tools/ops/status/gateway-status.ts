/** What `ops status` knows of a gateway. */
import * as z from "zod";
import type { ForgottenRoom } from "../../../src/lib/metrics/measurement.ts";
import { measureTarget } from "../measure-target.ts";
import type { Target } from "../target/target.ts";
import type { CommandLog } from "../terminal/command-log.ts";

// The columns of the metrics row that the screen shows. A value that could not be measured is null.
const rowSchema = z.object({
  TimeGenerated: z.string(),
  PlatformConnected: z.boolean().nullable().default(null),
  PoolDepth: z.number().nullable().default(null),
  DeletionDepth: z.number().nullable().default(null),
  DeletionOldestSeconds: z.number().nullable().default(null),
  ProvisioningDepth: z.number().nullable().default(null),
  PoisonDepth: z.number().nullable().default(null),
  AvailableRooms: z.number().nullable().default(null),
  InUseRooms: z.number().nullable().default(null),
  OutdatedRooms: z.number().nullable().default(null),
  UnaccountedRooms: z.number().nullable().default(null),
  LiveConferences: z.number().nullable().default(null),
  AlarmCount: z.number().nullable().default(null),
  AlarmNames: z.string().nullable().default(null),
  MaximumRooms: z.number().nullable().default(null),
  PoolMinimum: z.number().nullable().default(null),
});

type StatusRow = z.output<typeof rowSchema>;

export interface GatewayStatus {
  readonly row: StatusRow;
  /** Whether the row was measured now; otherwise it is the app's newest one. */
  readonly isMeasured: boolean;
  /** The unaccounted rooms that can be named. Undefined if the row was not measured. */
  readonly forgotten: readonly ForgottenRoom[] | undefined;
  /** When the app's newest metrics row was written. */
  readonly metricsTime: string | undefined;
  /** How many attempts to provision a room failed in the last quarter of an hour; null if the log cannot be read. */
  readonly provisioningFailures: number | null;
}

const failureWindowMilliseconds = 15 * 60_000;

/**
 * Measures now if the operator has a login for the platform; otherwise takes the newest metrics row, without which
 * it throws UnreachableError.
 */
export async function readStatus(target: Target, log: CommandLog): Promise<GatewayStatus> {
  const { platform } = target;
  const orNull = async <T>(reading: Promise<T>): Promise<T | null> =>
    reading.catch((error: unknown) => {
      log.warn("log-unavailable", {}, error);
      return null;
    });
  const newestMetrics = platform ? orNull(target.log.newestMetrics()) : target.log.newestMetrics();
  const [newest, failures, fingerprint] = await Promise.all([
    newestMetrics,
    orNull(target.log.lines({ hours: 1, events: ["provisioning-failed"] })),
    orNull(target.fingerprint()),
  ]);
  const since = new Date(Date.now() - failureWindowMilliseconds).toISOString();
  const measured = platform && (await measureTarget(target, platform, fingerprint ?? undefined, log));
  const row = rowSchema.parse(measured?.row ?? newest ?? { TimeGenerated: "" });
  return {
    // Without the fingerprint of new rooms, every room would count as outdated.
    row: measured && !fingerprint ? { ...row, OutdatedRooms: null } : row,
    isMeasured: measured !== undefined,
    forgotten: measured ? (measured.unaccounted?.forgotten ?? []) : undefined,
    metricsTime: z.string().optional().catch(undefined).parse(newest?.["TimeGenerated"]),
    provisioningFailures: failures?.filter(({ time }) => time >= since).length ?? null,
  };
}
