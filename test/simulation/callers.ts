/** Those who call the gateway and remember the answer: consumers that create rooms, and the platform's event sink. */
import { z } from "zod";
import { isPersistent } from "../../src/lib/rooms/ownership.ts";
import type { Plan } from "./processes.ts";
import { request } from "./requests.ts";
import { tagHost, type World } from "./world.ts";

const Created = z.object({ name: z.string(), tag: z.string() });

/** Creates a room and checks that it is the caller's alone. */
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
  const answer = await request(
    world,
    process,
    isLegacy ? "createRoom" : "createRoomFromQueue",
    { query },
    plan,
  );
  if (answer?.status !== 200) return;
  const { task } = answer;
  const room = Created.parse(answer.body);
  const other = ledger.handedOut.get(room.name);
  if (other) ledger.violated("G1", `#${task.id} and #${other.task.id} were both given ${room.name}`);
  ledger.handedOut.set(room.name, { task, tag });
  if (tag !== undefined && room.tag !== tag)
    ledger.violated("G1", `#${task.id} is answered with another tag`);
  if (ledger.goneBeforeCommit.has(room.name))
    ledger.violated("G1", `#${task.id} was given ${room.name}, which bulk delete had deleted before`);
  const row = table.find(room.name);
  if (!row) {
    if (!ledger.removed.has(room.name))
      ledger.violated("G1", `#${task.id} was given ${room.name}, which is gone`);
    return;
  }
  const writer = ledger.tagWriters.get(room.name);
  if (writer !== undefined && writer !== "other" && writer !== task && !ledger.tampered.has(room.name))
    ledger.violated("G1", `#${task.id} was given ${room.name} with the tag of #${writer.id}`);
  if (tag !== undefined && writer === task && row.tag !== tag)
    ledger.violated("G1", `#${task.id} was given ${room.name}, whose tag on the platform is another`);
  if (tag !== undefined && writer === undefined)
    ledger.violated("G1", `#${task.id} was given ${room.name}, whose tag was never written`);
}

/** Deletes all rooms; 204 says that none is left that was there when the last look at the platform began. */
export async function deleteAllRooms(world: World, process: number, plan: Plan): Promise<void> {
  const answer = await request(world, process, "bulkDeleteRooms", {}, plan);
  if (answer?.status !== 204) return;
  for (const { name, createdAt } of world.ledger.ourRooms()) {
    if (createdAt < answer.task.lastListAt && !isPersistent(name) && !world.ledger.tampered.has(name))
      world.ledger.violated("G8", `#${answer.task.id} is answered 204 while ${name} is still there`);
  }
}

const maxDeliveries = 4;
const redeliverySeconds = 30;

/** Posts `conference_ended` for the names, again until it is taken, as the platform does. */
export async function deliverEnds(
  world: World,
  names: readonly string[],
  process: number,
  plan: Plan,
  delivery = 1,
): Promise<void> {
  const { ledger, scheduler } = world;
  for (const name of names) ledger.dueForDeletion.add(name);
  const events = names.map((name) => ({
    event: "conference_ended",
    data: { name, service_type: "conference" },
  }));
  const body = events.length === 1 ? events[0] : { event: "eventsink_bulk", data: events };
  const answer = await request(world, process, "eventSink", { body }, plan);
  if (answer?.status === 204) {
    for (const name of names) {
      if (!answer.task.queuedForDeletion.has(name))
        ledger.violated("G6", `#${answer.task.id} is answered 204, but ${name} was not stored`);
      ledger.ended.set(name, scheduler.now());
    }
  } else if (delivery < maxDeliveries) {
    scheduler.after(
      redeliverySeconds * 1000,
      () => void deliverEnds(world, names, process, world.quietPlan(), delivery + 1),
    );
  }
}
