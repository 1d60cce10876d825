/** The metrics row of an app whose clock is a day ahead: it counts every room that nobody accounts for. */
import { fileURLToPath, pathToFileURL } from "node:url";
import { z } from "zod";
import { poll } from "../local/poll.ts";
import type { LineReader } from "./child.ts";
import { startGateway } from "./fleet.ts";
import { createGatewayCalls } from "./gateway-calls.ts";
import type { Parts } from "./parts.ts";

const rowSchema = z.object({
  TimeGenerated: z.iso.datetime(),
  UnaccountedRooms: z.int().nullable(),
});
export type LaterRow = z.output<typeof rowSchema>;

const storedRowsSchema = z.array(z.object({ row: rowSchema }));
const aheadMilliseconds = 24 * 3600 * 1000;

export interface LaterOptions {
  readonly parts: Parts;
  readonly bundlePath: string;
  readonly hostJsonPath: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly onLine: LineReader;
}

/** Runs one process a day ahead, fires its metrics, and gives the row that reached the log workspace. */
export async function collectMetricsLater(options: LaterOptions): Promise<LaterRow> {
  const { parts, bundlePath, environment } = options;
  const entry = fileURLToPath(new URL("day-later-app.ts", import.meta.url));
  const withBundle = { ...environment, CHAOS_BUNDLE_URL: pathToFileURL(bundlePath).href };
  const gateway = await startGateway({ ...options, environment: withBundle }, entry);
  try {
    const calls = createGatewayCalls(() => gateway.addresses["url"], parts.accessToken);
    const look = async (): Promise<LaterRow | undefined> => {
      await calls.fire("collectMetrics");
      return laterRow(parts.logWorkspaceUrl);
    };
    const options = { description: "a whole metrics row of a day later", timeoutSeconds: 60 };
    return await poll(look, { ...options, pauseMilliseconds: 1000 });
  } finally {
    await gateway.kill();
  }
}

async function laterRow(logWorkspaceUrl: string): Promise<LaterRow | undefined> {
  const stored: unknown = await (await fetch(`${logWorkspaceUrl}/control/rows`)).json();
  const last = storedRowsSchema.parse(stored).at(-1)?.row;
  const isLater = last && Date.parse(last.TimeGenerated) > Date.now() + aheadMilliseconds;
  return isLater && last.UnaccountedRooms !== null ? last : undefined;
}
