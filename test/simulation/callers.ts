/** Callers that check what they receive: consumers that create rooms, bulk delete, and the platform's event sink. */
import { z } from "zod";
import { isPersistent } from "../../src/lib/rooms/ownership.ts";
import type { Plan } from "./processes.ts";
import { request } from "./requests.ts";
import { tagHost, type World } from "./world.ts";

const Created = z.object({ name: z.string(), tag: z.string() });

/** Creates a room and checks that no other caller has it. */
export async function createRoom(
  world: World,
  { isLegacy, hasTag }: { isLegacy: boolean; hasTag: boolean },
  process: number,
  plan: Plan,
): Promise<void> {
  const { ledger, table } = world;
  const tag = hasTag ? `https://${tagHost}/s/${world.newId()}` : undefined;
  const uuiData = tag && `${Buffer.from(tag).toString("hex")};encoding=hex`;
  const query = uuiData === undefined ? {} : { uuiData };
  const response = await request(
    world,
    process,
    isLegacy ? "createRoom" : "createRoomFromQueue",
    { query },
    plan,
  );
  if (response?.status !== 200) return;
  const { task } = response;
  const room = Created.parse(response.body);
  const { name } = room;
  const isWrong = (what: string) =>
    ledger.violated("handed-out-twice", `#${task.id} received ${name}, ${what}`);
  const other = ledger.handedOut.get(name);
  if (other) isWrong(`like #${other.task.id}`);
  ledger.handedOut.set(name, { task, tag });
  if (tag !== undefined && room.tag !== tag) isWrong("with another service tag in the response");
  if (ledger.deletedBeforeCommit.has(name)) isWrong("which bulk delete had already deleted");
  const row = table.find(name);
  if (!row) {
    if (!ledger.removed.has(name)) isWrong("which no longer exists");
    return;
  }
  const writer = ledger.tagWriters.get(name);
  if (writer && writer !== "other" && writer !== task && !ledger.changedByOperator.has(name))
    isWrong(`with the tag of #${writer.id}`);
  if (tag !== undefined && writer === task && row.tag !== tag)
    isWrong("which has another tag on the platform");
  if (tag !== undefined && writer === undefined) isWrong("whose tag was never written");
}

/** Deletes all rooms. A 204 promises that no room is left that existed when the last list of rooms was requested. */
export async function deleteAllRooms(world: World, process: number, plan: Plan): Promise<void> {
  const response = await request(world, process, "bulkDeleteRooms", {}, plan);
  if (response?.status !== 204) return;
  for (const { name, createdAt } of world.ledger.ourRooms()) {
    if (
      createdAt < response.task.lastListAt &&
      !isPersistent(name) &&
      !world.ledger.changedByOperator.has(name)
    )
      world.ledger.violated(
        "bulk-delete-incomplete",
        `#${response.task.id} received 204 although ${name} is left`,
      );
  }
}

const maxDeliveries = 4;
const redeliverySeconds = 30;

/** Posts `conference_ended` for the names and retries until it is accepted, as the platform does. */
export async function deliverEnds(
  world: World,
  names: readonly string[],
  process: number,
  plan: Plan,
  delivery = 1,
): Promise<void> {
  const { ledger, scheduler } = world;
  for (const name of names) ledger.mayBeDeleted.add(name);
  const events = names.map((name) => ({
    event: "conference_ended",
    data: { name, service_type: "conference" },
  }));
  const body = events.length === 1 ? events[0] : { event: "eventsink_bulk", data: events };
  const response = await request(world, process, "eventSink", { body }, plan);
  if (response?.status === 204) {
    for (const name of names) {
      if (!response.task.queuedForDeletion.has(name))
        ledger.violated("event-lost", `#${response.task.id} received 204, but ${name} was not stored`);
      ledger.ended.set(name, scheduler.now());
    }
  } else if (delivery < maxDeliveries) {
    scheduler.after(
      redeliverySeconds * 1000,
      () => void deliverEnds(world, names, process, world.planWithoutFaults(), delivery + 1),
    );
  }
}
