/** The demonstration's steps with the pool: fill it, measure it, empty it. */
import * as z from "zod";
import { isPersistent, parseMarker } from "../../../src/lib/pool/room.ts";
import { poll } from "../process/poll.ts";
import { maxPeeked } from "../stack/queue-contents.ts";
import { showPoolFill } from "../terminal/pool-progress.ts";
import type { DemoContext } from "./demo-context.ts";
import { indent } from "./report.ts";

const rowsSchema = z.array(z.object({ row: z.record(z.string(), z.unknown()) }));
const roomsSchema = z.array(z.object({ name: z.string(), description: z.string().nullish() }));
const addedRooms = 10;

/** Requests more rooms than the pool holds and waits for them; returns how many can be claimed then. */
export async function fillPool(demo: DemoContext): Promise<number> {
  const { connection, queues, report, stopping, client, checkEmpty } = demo;
  report.step("Fill the pool in the background");
  const level = (await queues.peek("pool")).length + addedRooms;
  await client.fillPool({ rooms: level });
  checkEmpty("bulk create returns 202 without a body", 202);
  await showPoolFill(connection, level, { output: report.output, indent, stopping });
  const ready = (await queues.peek("pool")).length;
  report.check("the pool holds the requested rooms", ready >= Math.min(level, maxPeeked), ready);
  return ready;
}

/** Waits until the pool holds as many rooms as before some were handed out. */
export async function seeReplacements(demo: DemoContext, rooms: number): Promise<void> {
  const { connection, queues, report, stopping } = demo;
  report.step("Wait until the rooms that were handed out are replaced");
  await showPoolFill(connection, rooms, { output: report.output, indent, stopping });
  const ready = (await queues.peek("pool")).length;
  report.check(`the pool holds ${rooms} rooms again`, ready === rooms, ready);
}

/** Fires the metrics collection and compares the row with the pool. */
export async function writeMetrics(demo: DemoContext): Promise<void> {
  const { connection, queues, report, stopping, send } = demo;
  report.step("Write a metrics row, as the timer does every 5 minutes");
  const before = (await metricsRows(connection.logWorkspaceUrl)).length;
  await send("POST", "/admin/functions/collectMetrics", { headers: {}, body: {} });
  const row = await poll(async () => (await metricsRows(connection.logWorkspaceUrl)).slice(before).at(-1), {
    description: "a new row in the log workspace",
    timeoutSeconds: 20,
    stopping,
  });
  const { PoolDepth, AvailableRooms, InUseRooms, AlarmCount, PlatformConnected } = row;
  report.line(JSON.stringify({ PoolDepth, AvailableRooms, InUseRooms, AlarmCount, PlatformConnected }));
  const ready = (await queues.peek("pool")).length;
  report.check("the row has the pool depth", typeof PoolDepth === "number" && PoolDepth >= ready, PoolDepth);
  report.check("the row has the available rooms", AvailableRooms === PoolDepth, AvailableRooms);
  report.check("the row has the rooms in use", typeof InUseRooms === "number" && InUseRooms >= 1, InUseRooms);
  report.check("the row has the platform's alarms", typeof AlarmCount === "number", AlarmCount);
  report.check("the row has the platform's connectivity", PlatformConnected === true, PlatformConnected);
}

async function metricsRows(logWorkspaceUrl: string): Promise<Record<string, unknown>[]> {
  const response = await fetch(`${logWorkspaceUrl}/control/rows`);
  return rowsSchema.parse(await response.json()).map(({ row }) => row);
}

/** Deletes every room of the gateway, which also empties the pool. */
export async function deleteAll(demo: DemoContext): Promise<void> {
  const { connection, report, client, checkEmpty, send } = demo;
  report.step("Delete all rooms");
  await client.deleteAllRooms();
  checkEmpty("bulk delete returns 204 without a body", 204);
  const rooms = await send("GET", `${connection.platformControlUrl}/control/rooms`, { headers: {} });
  const ours = roomsSchema
    .parse(rooms.json)
    .filter(({ name, description }) => !isPersistent(name) && parseMarker(description));
  report.check("no room of the gateway is left on the platform", ours.length === 0, ours);
  await send("POST", "/room/create");
  checkEmpty("create returns 404 without a body if the pool is empty", 404);
}

/** Refills the pool of a gateway that was running before the demonstration. */
export async function refillPool(demo: DemoContext): Promise<void> {
  const { connection, queues, report, stopping, client, checkEmpty } = demo;
  report.step("Refill the pool");
  // The create on the empty pool has requested a room, which bulk create would count twice: as request and as name.
  await queues.untilProvisioned(stopping);
  await client.fillPool();
  checkEmpty("bulk create returns 202 without a body", 202);
  await showPoolFill(connection, connection.maxRooms, { output: report.output, indent, stopping });
}
