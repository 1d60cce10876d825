/** Ended rooms: their names are stored before the platform gets its response, within the time that it waits. */
import { expect, test } from "vitest";
import { createEndedRooms } from "../../../src/lib/pool/ended-rooms.ts";
import { usePoolQueues } from "../../support/pool-world.ts";

const queues = usePoolQueues();
const queueForDeletion = async (names: readonly string[]) =>
  createEndedRooms(queues).queueForDeletion(names, queues.log);
const names = (count: number) => Array.from({ length: count }, (_, index) => `room-${index}`);

test("Every ended room is stored once and is visible immediately", async () => {
  await queueForDeletion(names(100));

  expect(queues.deletion.texts().toSorted()).toEqual(names(100).toSorted());
  expect(await queues.deletion.receive(32, 60)).toHaveLength(32);
});

test("An empty list of ended rooms causes no call to the queue", async () => {
  await queueForDeletion([]);
  expect(queues.deletion.calls).toEqual([]);
});

test("A temporary queue failure is thrown as 503, so the platform sends the event again", async () => {
  queues.deletion.strikeNext("put", { failure: "unknown" });
  await expect(queueForDeletion(["room-a"])).rejects.toMatchObject({ status: 503 });
});

test("A name that the queue rejects permanently is logged, and the other names are stored", async () => {
  queues.deletion.strikeNext("put", { failure: "refused" });
  await queueForDeletion(["room-a", "room-b"]);

  expect(queues.deletion.texts()).toEqual(["room-b"]);
  expect(queues.log.fieldsOf("event-name-refused")).toEqual({ room: "room-a" });
});

test("A stored name is logged", async () => {
  await queueForDeletion(["room-a"]);
  expect(queues.log.fieldsOf("room-queued-for-deletion")).toEqual({ room: "room-a" });
});

test("All names are stored if the puts start within 2.5 seconds", async () => {
  queues.deletion.strikeNext("put", { meanwhile: () => queues.clock.advance(2.4) });
  await queueForDeletion(names(40));
  expect(queues.deletion.texts()).toHaveLength(40);
});

test("Storing stops with an error after 2.5 seconds", async () => {
  queues.deletion.strikeNext("put", { meanwhile: () => queues.clock.advance(2.5) });

  await expect(queueForDeletion(names(40))).rejects.toMatchObject({ code: "storage-unavailable" });
  expect(queues.deletion.texts().length).toBeLessThan(40);
});
