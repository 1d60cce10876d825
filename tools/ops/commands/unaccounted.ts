/** `ops unaccounted`: lists or deletes rooms that nobody uses: orphaned ones, or those of a gateway that is gone. */
import { createRoomDeletion } from "../../../src/lib/deletion/room-deletion.ts";
import type { Log } from "../../../src/lib/log.ts";
import { queueForDeletion } from "../../../src/lib/ownership/deletion-queue.ts";
import { isPersistent, type Marker } from "../../../src/lib/ownership/room.ts";
import { age, count, deletionTime, duration, table } from "../../terminal/format.ts";
import { requirePlatform, type Target, type TargetWithPlatform } from "../gateway/target.ts";
import type { Context, Flags, Operator } from "../operator-program.ts";
import { type Outcome, UsageError } from "../outcomes.ts";
import { namesToDelete, type RoomView, readAllRooms } from "../pool/room-views.ts";
import { measureGateway } from "../status/metrics.ts";
import { silentLog, withProgress } from "../terminal.ts";

export function addUnaccounted({ command, run }: Operator): void {
  command(
    "unaccounted",
    "lists rooms that are neither in the pool nor in use, and with --yes has them deleted",
    "A room is listed if it was handed out more than 24 hours ago and no conference is running. The garbage collection " +
      "checks each room again before it deletes it. Persistent rooms stay.",
  )
    .option(
      "--gateway <name>",
      "Lists the rooms of another gateway that no longer exists, and deletes them at once.",
    )
    .option("--yes", "Deletes the listed rooms. Without this option, the command only lists them.")
    .action(run(unaccounted));
}

/** Rooms that nobody uses. */
interface Listing {
  /** What is printed if there are none. */
  readonly none: string;
  readonly rows: readonly (readonly [name: string, ...columns: string[]])[];
  readonly heading: readonly string[];
  /** What else needs attention, or why these rooms may not be deleted. */
  readonly note: string | undefined;
  readonly mayDelete: boolean;
  /** Returns whether the room is deleted, or will be. */
  readonly remove: (room: string, operator: string | undefined) => Promise<boolean>;
  /** What is printed after so many were removed. */
  readonly done: (removed: number) => string;
}

interface UnaccountedOptions extends Flags<"yes"> {
  readonly gateway?: string;
}

async function unaccounted({ gateway, yes }: UnaccountedOptions, context: Context): Promise<Outcome> {
  const { terminal, connect, stopping, conclude } = context;
  const target = requirePlatform(await connect());
  const listing = gateway === undefined ? await listOrphaned(target) : await listLeft(target, gateway);
  const { rows, note } = listing;
  if (rows.length === 0 && note === undefined) return conclude("ok", listing.none);
  if (rows.length > 0) for (const line of table([listing.heading, ...rows])) terminal.print(line);
  if (note !== undefined) terminal.print(note);
  const deletable = rows.map(([name]) => name).filter((name) => !isPersistent(name));
  if (!listing.mayDelete || deletable.length === 0) return "finding";
  if (!yes) return conclude("finding", `Would delete ${count(deletable.length, "room")}. Do it with --yes.`);
  const operator = await target.operatorId();
  let removed = 0;
  await withProgress(terminal, "rooms", deletable.length, async (show) => {
    for (const name of deletable) {
      if (stopping.aborted) return;
      if (await listing.remove(name, operator)) removed += 1;
      show(removed);
    }
  });
  terminal.print(listing.done(removed));
  if (stopping.aborted) return "interrupted";
  return note === undefined && removed === rows.length ? "ok" : "finding";
}

/** The rooms of this gateway that were handed out and have no conference. */
async function listOrphaned(target: TargetWithPlatform): Promise<Listing> {
  let failure: unknown;
  const log: Log = {
    ...silentLog,
    warn: (_event, _fields, cause) => {
      failure = cause;
    },
  };
  const { unaccounted: found } = await measureGateway(target, target.platform, log);
  if (!found) throw failure;
  const { forgotten, beyondPool: unnamed } = found;
  const waiting = await namesToDelete(target);
  const rooms = forgotten.filter(({ room }) => !waiting.has(room));
  const handedOut = (ageHours: number | null) =>
    ageHours === null ? "at an unknown time" : `${duration(ageHours * 3600)} ago`;
  const note =
    `${count(unnamed, "room")} marked as pooled beyond the pool. Rooms count until they are deleted; ` +
    "the others can be listed when the pool is empty: docs/operations.md#rooms-unaccounted";
  return {
    none: "Every room is accounted for.",
    heading: ["NAME", "HANDED OUT"],
    rows: rooms.map(({ room, ageHours }) => [room, handedOut(ageHours)]),
    note: unnamed > 0 ? note : undefined,
    mayDelete: true,
    remove: async (room, operator) => {
      await queueForDeletion(target.queues.deletion, { room, reason: "ops unaccounted", operator });
      return true;
    },
    done: (queued) =>
      `${count(queued, "room")} will be deleted ${deletionTime(target.settings)}. Do not run this again before then: ` +
      "a room that is queued again waits for the full time again.",
  };
}

const dayMilliseconds = 86_400_000;

/** The rooms that a removed or renamed gateway left on the platform, unless anything says that it runs. */
async function listLeft(target: TargetWithPlatform, gateway: string): Promise<Listing> {
  const { platform, clock, settings } = target;
  if (gateway === settings.rooms.gatewayName)
    throw new UsageError(`--gateway names this gateway, ${gateway}: leave the option out`);
  const rooms = (await readAllRooms(platform)).filter(({ marker }) => marker.gateway === gateway);
  const now = clock.now();
  const signs = rooms.length === 0 ? [] : await signsOfLife(target, gateway, rooms);
  const deleteRoom = createRoomDeletion({ ...platform, clock, gatewayName: gateway, unmarkedRooms: "keep" });
  const attempt = { log: silentLog, startBefore: Number.POSITIVE_INFINITY };
  const note = `The gateway ${gateway} may be running: ${signs.join(", ")}. Its rooms can be deleted a day after that.`;
  const sinceOf = new Map(rooms.map(({ name, marker }) => [name, marker.since]));
  return {
    none: `The platform has no room of the gateway ${gateway}.`,
    heading: ["NAME", "STATE", "SINCE"],
    rows: rooms.map(({ name, state, marker }) => [name, state, age(marker.since, now)]),
    note: signs.length > 0 ? note : undefined,
    mayDelete: signs.length === 0,
    // Neither a live room nor one that has changed hands meanwhile.
    remove: async (room) => {
      const isGivenUp = ({ since }: Marker) => since === sinceOf.get(room);
      const request = {
        room,
        sender: "gateway",
        isOverdue: true,
        isGivenUp,
        isAssignedLater: () => true,
      } as const;
      return (await deleteRoom(request, attempt)).action === "delete";
    },
    done: (deleted) => `${count(deleted, "room")} deleted, ${rooms.length - deleted} left.`,
  };
}

async function signsOfLife({ clock, log }: Target, gateway: string, rooms: readonly RoomView[]) {
  const now = clock.now();
  const times = rooms.map(({ marker }) => marker.since).toSorted();
  const newest = times.at(-1) ?? "";
  const [line] = (await log.lines({ hours: 24, gateway })).slice(-1);
  return [
    ...(now - Date.parse(newest) < dayMilliseconds ? [`its newest room is ${age(newest, now)} old`] : []),
    ...(line ? [`its newest log line is ${age(line.time, now)} old`] : []),
    ...(rooms.some(({ state }) => state === "live") ? ["one of its rooms has a live conference"] : []),
  ];
}
