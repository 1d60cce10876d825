/** Reads the simulators' control APIs. PINs and tags stay here: only whether there is a tag is passed on. */
import * as z from "zod";
import { parseMarker } from "../../../src/lib/pool/room.ts";
import type { Connection } from "../stack/connection.ts";
import type { Surroundings } from "./console-state.ts";

const roomsSchema = z.array(
  z.object({
    name: z.string(),
    tag: z.string().default(""),
    description: z.string().default(""),
  }),
);
const stateSchema = z.object({
  down: z.string().nullable(),
  faults: z.array(z.unknown()),
  latencies: z.array(z.object({ milliseconds: z.number() })),
  alarms: z.array(z.object({ name: z.string() })),
  conferences: z.array(
    z.object({
      name: z.string(),
      nodes: z.array(z.string()),
      participants: z.array(z.object({ name: z.string(), node: z.string() })),
    }),
  ),
});
const sinkSchema = z.object({ queued: z.number() });
const issuerSchema = z.object({ isDown: z.boolean() });
const contactCentreSchema = z.object({ faults: z.array(z.object({ count: z.number() })) });
const rowsSchema = z.array(
  z.object({ row: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])) }),
);

const timeoutMilliseconds = 5000;

export type PlatformRoom = Awaited<ReturnType<typeof readControlData>>["rooms"][number];
export type Conference = z.output<typeof stateSchema>["conferences"][number];

/** Returns what the simulators show at this moment. Throws if one of them does not respond. */
export async function readControlData(connection: Connection) {
  const { platformControlUrl, tokenUrl, contactCentreUrl, logWorkspaceUrl } = connection;
  const [rooms, state, sink, issuer, contactCentre, rows] = await Promise.all([
    read(`${platformControlUrl}/control/rooms`, roomsSchema),
    read(`${platformControlUrl}/control/state`, stateSchema),
    read(`${platformControlUrl}/control/sink`, sinkSchema),
    read(`${new URL(tokenUrl).origin}/control/state`, issuerSchema),
    read(`${contactCentreUrl}/control/state`, contactCentreSchema),
    read(`${logWorkspaceUrl}/control/rows`, rowsSchema),
  ]);
  const surroundings: Surroundings = {
    platformDown: state.down,
    platformFaults: state.faults.length,
    platformLatencyMilliseconds: Math.max(0, ...state.latencies.map(({ milliseconds }) => milliseconds)),
    alarms: state.alarms.map(({ name }) => name),
    eventsWaiting: sink.queued,
    issuerIsDown: issuer.isDown,
    contactCentreFaults: contactCentre.faults.reduce((sum, { count }) => sum + count, 0),
  };
  return {
    rooms: rooms.map(({ name, tag, description }) => ({
      name,
      hasTag: tag !== "",
      marker: parseMarker(description),
    })),
    conferences: state.conferences,
    surroundings,
    metricsRow: rows.at(-1)?.row ?? null,
  };
}

async function read<Value>(url: string, schema: z.ZodType<Value>): Promise<Value> {
  const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMilliseconds) });
  return schema.parse(await response.json());
}
