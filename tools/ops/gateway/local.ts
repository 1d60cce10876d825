/** Connects to the gateway that runs on this machine, by the file with its URLs. */
import * as z from "zod";
import { createCredential } from "../../../src/lib/azure/credential.ts";
import { openQueues } from "../../../src/lib/azure/storage-queue.ts";
import { type Clock, systemClock } from "../../../src/lib/ports.ts";
import { loadSettings } from "../../../src/lib/settings/settings.ts";
import { type Connection, findStartedGateway, findStartedGateways } from "../../simulators/connection.ts";
import { hostFailureEvent } from "../../simulators/services/log-workspace.ts";
import { bypassProxy } from "../../terminal/bypass-proxy.ts";
import { screenTime } from "../../terminal/format.ts";
import { UnreachableError } from "../outcomes.ts";
import { type LogLine, type LogReader, loggedNames, maxLines } from "./log.ts";
import { defaultLimits, openPlatform, probeSeconds, type Target } from "./target.ts";

/** Connects to the gateway of this file, or to the one that started last. Throws UnreachableError if none runs. */
export async function connectLocally(path?: string): Promise<Target> {
  bypassProxy();
  const connection = await findStartedGateway(path);
  if (!connection)
    throw new UnreachableError(
      "No local gateway is running. Start one with `npm start`, or leave out --local for a deployment.",
    );
  const settings = loadSettings(connection.settings);
  return {
    name: `the local gateway at ${connection.gatewayUrl}`,
    since: await describeStart(connection),
    gatewayUrl: connection.gatewayUrl,
    settings,
    limits: defaultLimits,
    clock: systemClock,
    queues: openQueues({ storage: settings.storage, credential: createCredential(settings.storage) }),
    log: createLocalLog(connection.logWorkspaceUrl),
    platform: openPlatform(settings.platform),
    unresolvedSecrets: async () => [],
    operatorId: async () => "local",
  };
}

/** A second gateway on this machine is easily mistaken for the first. */
async function describeStart({ startedAt }: Connection): Promise<string> {
  const running = (await findStartedGateways()).length;
  return `started ${screenTime(startedAt)}${running > 1 ? `, 1 of ${running} running` : ""}`;
}

const tracesSchema = z.array(z.object({ time: z.string(), fields: z.record(z.string(), z.unknown()) }));
const rowsSchema = z.array(z.object({ row: z.record(z.string(), z.unknown()) }));

/** Creates a reader of the workspace at this URL. */
export function createLocalLog(url: string, clock: Clock = systemClock): LogReader {
  async function read<Value>(path: string, schema: z.ZodType<Value>): Promise<Value> {
    try {
      const response = await fetch(`${url}${path}`, { signal: AbortSignal.timeout(probeSeconds * 1000) });
      return schema.parse(await response.json());
    } catch (cause) {
      const message = `The log workspace at ${url} does not respond. Is the local gateway running?`;
      throw new UnreachableError(message, { cause });
    }
  }
  const stored = {
    lines: async () => read("/control/traces", tracesSchema),
    rows: async () => (await read("/control/rows", rowsSchema)).map(({ row }) => row),
  };
  return createLogReader(stored, clock);
}

/** What a workspace holds of one gateway, the oldest first. */
interface StoredLog {
  readonly lines: () => Promise<readonly LogLine[]>;
  readonly rows: () => Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** Creates a reader of what is stored. */
export function createLogReader(stored: StoredLog, clock: Pick<Clock, "now">): LogReader {
  const since = (hours: number) => new Date(clock.now() - hours * 3600_000).toISOString();
  const readLines = async (hours: number) =>
    (await stored.lines()).filter(({ time }) => time >= since(hours));
  const textSchema = z.string().optional();
  return {
    warnings: new Set(),
    loadFailure: async () => {
      const failed = (await readLines(1)).findLast(({ fields }) => fields["event"] === hostFailureEvent);
      return textSchema.parse(failed?.fields["message"]);
    },
    lines: async ({ hours, room, events, functions }) => {
      const wanted = { room: room && loggedNames(room), event: events, function: functions };
      const isWanted = ({ fields }: LogLine) =>
        Object.entries(wanted).every(([name, values]) => !values || values.includes(String(fields[name])));
      return (await readLines(hours)).filter(isWanted).slice(-maxLines);
    },
    answeredByApiManagement: async () => [],
    newestMetrics: async () =>
      (await stored.rows()).findLast((row) => String(row["TimeGenerated"]) >= since(24)),
  };
}
