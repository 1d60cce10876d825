/** The gateway a day after the faults, storage and app alike: what had to wait is done, and what was lost is counted. */
import { fileURLToPath, pathToFileURL } from "node:url";
import { z } from "zod";
import { poll } from "../local/process/poll.ts";
import type { LineReader } from "./child.ts";
import type { Parts } from "./environment.ts";
import { startGateway } from "./fleet.ts";
import { createGatewayCalls, type GatewayCalls } from "./gateway-calls.ts";
import type { QueueContents } from "./queue-contents.ts";
import { settleDeletion, settlePool } from "./wait-until-idle.ts";

/** More than the day after which a forgotten room counts, and than the collector's longest postponement. */
export const laterSeconds = 25 * 3600;

const rowSchema = z.object({
  TimeGenerated: z.iso.datetime(),
  UnaccountedRooms: z.int().nullable(),
});
export type LaterRow = z.output<typeof rowSchema>;

const storedRowsSchema = z.array(z.object({ row: rowSchema }));

export interface LaterOptions {
  readonly parts: Parts;
  readonly queues: QueueContents;
  readonly poolSize: number;
  readonly bundlePath: string;
  readonly hostJsonPath: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly onLine: LineReader;
}

/** Runs one process a day ahead: collects what is due, refills the pool, and gives its row in the log workspace. */
export async function passOneDay(options: LaterOptions): Promise<LaterRow> {
  const { parts, queues, bundlePath } = options;
  const entry = fileURLToPath(new URL("./day-later-app.ts", import.meta.url));
  const environment = {
    ...options.environment,
    // There are no faults any more, only a computer that may be busy.
    PLATFORM_TIMEOUT_SECONDS: "10",
    CHAOS_BUNDLE_URL: pathToFileURL(bundlePath).href,
    CHAOS_SECONDS_AHEAD: String(laterSeconds),
  };
  const gateway = await startGateway({ ...options, environment }, entry);
  try {
    const calls = createGatewayCalls(() => gateway.addresses["url"], parts.accessToken);
    await settleDeletion(queues, calls);
    await settlePool(queues, calls, options.poolSize);
    return await collectRow(parts.logWorkspaceUrl, calls);
  } finally {
    await gateway.kill();
  }
}

async function collectRow(logWorkspaceUrl: string, calls: GatewayCalls): Promise<LaterRow> {
  const firedAt = Date.now() + laterSeconds * 1000;
  const look = async (): Promise<LaterRow | undefined> => {
    await calls.fire("collectMetrics");
    const stored: unknown = await (await fetch(`${logWorkspaceUrl}/control/rows`)).json();
    const row = storedRowsSchema.parse(stored).at(-1)?.row;
    return row && row.UnaccountedRooms !== null && Date.parse(row.TimeGenerated) > firedAt ? row : undefined;
  };
  const description = "a whole metrics row of a day later";
  return poll(look, { description, timeoutSeconds: 60, pauseMilliseconds: 1000 });
}
