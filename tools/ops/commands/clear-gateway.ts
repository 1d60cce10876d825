/** `ops unaccounted --gateway`: lists or deletes the rooms that a removed or renamed gateway left on the platform. */
import type { DeletionRequest } from "../../../src/lib/deletion/decisions.ts";
import { createRoomDeletion } from "../../../src/lib/deletion/room-deletion.ts";
import { isPersistent } from "../../../src/lib/ownership/room.ts";
import { age, count, table } from "../../terminal/format.ts";
import type { Context } from "../operator-program.ts";
import { type Outcome, UsageError } from "../outcomes.ts";
import { type RoomView, readAllRooms } from "../pool/room-views.ts";
import { silentLog } from "../status/measured.ts";
import { requirePlatform, type TargetWithPlatform } from "../target/target.ts";
import { withProgress } from "../terminal/terminal.ts";

export interface ClearOptions {
  readonly delete?: true;
  readonly yes?: true;
  readonly json?: true;
}

const dayMilliseconds = 86_400_000;

/** Lists all rooms of a gateway that no longer exists. Deletes them unless anything says that it runs. */
export async function clearGateway(
  gateway: string,
  options: ClearOptions,
  context: Context,
): Promise<Outcome> {
  const { terminal, connect, stopping } = context;
  const target = requirePlatform(await connect());
  if (gateway === target.settings.rooms.gatewayName)
    throw new UsageError(`--gateway names this gateway, ${gateway}: leave the option out`);
  const rooms = (await readAllRooms(target.platform)).filter(({ marker }) => marker.gateway === gateway);
  if (options.json) {
    terminal.print(JSON.stringify(rooms.map(({ name, state, marker }) => ({ ...marker, name, state }))));
    return rooms.length === 0 ? "ok" : "finding";
  }
  if (rooms.length === 0) {
    terminal.print(`The platform has no room of the gateway ${gateway}.`);
    return "ok";
  }
  const now = target.clock.now();
  const rows = rooms.map(({ name, state, marker }) => [name, state, age(marker.since, now)]);
  for (const line of table([["NAME", "STATE", "SINCE"], ...rows])) terminal.print(line);
  const [newest = ""] = rooms
    .map(({ marker }) => marker.since)
    .toSorted()
    .toReversed();
  const [line] = (await target.log.lines({ hours: 24, gateway })).slice(-1);
  const signs = [
    ...(now - Date.parse(newest) < dayMilliseconds ? [`its newest room is ${age(newest, now)} old`] : []),
    ...(line ? [`its newest log line is ${age(line.time, now)} old`] : []),
    ...(rooms.some(({ state }) => state === "live") ? ["one of its rooms has a live conference"] : []),
  ];
  if (signs.length > 0)
    terminal.print(
      `The gateway ${gateway} may be running: ${signs.join(", ")}. Its rooms can be deleted a day after that.`,
    );
  if (!options.delete || signs.length > 0) return "finding";
  if (!options.yes) {
    const idle = rooms.filter(({ name }) => !isPersistent(name)).length;
    terminal.print(
      `Would delete ${count(idle, "room")} now, but no persistent ones. Do it with --delete --yes.`,
    );
    return "finding";
  }
  const deleted = await deleteAll(target, gateway, rooms, context);
  terminal.print(`${count(deleted, "room")} deleted, ${rooms.length - deleted} left.`);
  if (stopping.aborted) return "interrupted";
  return deleted === rooms.length ? "ok" : "finding";
}

/** Returns how many rooms it has deleted: neither live nor persistent ones, nor those that changed hands meanwhile. */
async function deleteAll(
  { platform, clock }: TargetWithPlatform,
  gateway: string,
  rooms: readonly RoomView[],
  { terminal, stopping }: Context,
): Promise<number> {
  const ownership = { gatewayName: gateway, unmarkedRooms: "keep" } as const;
  const deleteRoom = createRoomDeletion({ ...platform, clock, ...ownership });
  const attempt = { log: silentLog, startBefore: Number.POSITIVE_INFINITY };
  return withProgress(terminal, "rooms", rooms.length, async (show) => {
    let deleted = 0;
    for (const { name, marker } of rooms) {
      if (stopping.aborted) break;
      const request: DeletionRequest = {
        room: name,
        sender: "gateway",
        isOverdue: true,
        isGivenUp: ({ since }) => since === marker.since,
        isAssignedLater: () => true,
      };
      if ((await deleteRoom(request, attempt)).action === "delete") deleted += 1;
      show(deleted);
    }
    return deleted;
  });
}
