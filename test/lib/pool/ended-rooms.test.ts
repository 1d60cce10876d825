/** Names of ended rooms: stored before the platform is told so, within the time that it waits. */
import { expect, test } from "vitest";
import { createEndedRooms } from "../../../src/lib/pool/ended-rooms.ts";
import { createFaultyQueue } from "../../support/faulty-queue.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { createMemoryQueue } from "../../support/memory-queue.ts";
import { createRecordingLog } from "../../support/recording-log.ts";

function start() {
  const clock = createManualClock();
  const deletion = createFaultyQueue(createMemoryQueue(clock));
  const log = createRecordingLog();
  return { clock, deletion, log, endedRooms: createEndedRooms({ deletion, clock }) };
}
const names = (count: number) => Array.from({ length: count }, (_, index) => `room-${index}`);

test("every name is stored once, visible at once", async () => {
  const { deletion, log, endedRooms } = start();
  await endedRooms.queueForDeletion(names(100), log);

  expect(deletion.texts().toSorted()).toEqual(names(100).toSorted());
  expect(await deletion.receive(32, 60)).toHaveLength(32);
});

test("without names nothing is asked of the queue", async () => {
  const { deletion, log, endedRooms } = start();
  await endedRooms.queueForDeletion([], log);
  expect(deletion.calls).toEqual([]);
});

test("a passing failure is thrown, so that the platform sends the event again: 503", async () => {
  const { deletion, log, endedRooms } = start();
  deletion.strikeNext("put", { failure: "unknown" });

  await expect(endedRooms.queueForDeletion(["room-a"], log)).rejects.toMatchObject({ status: 503 });
});

test("a name that the queue refuses for good is logged, and the others are stored", async () => {
  const { deletion, log, endedRooms } = start();
  deletion.strikeNext("put", { failure: "refused" });
  await endedRooms.queueForDeletion(["room-a", "room-b"], log);

  expect(deletion.texts()).toEqual(["room-b"]);
  expect(log.fieldsOf("event-name-refused")).toEqual({ room: "room-a" });
});

test("a name that is stored is logged", async () => {
  const { log, endedRooms } = start();
  await endedRooms.queueForDeletion(["room-a"], log);
  expect(log.fieldsOf("room-queued-for-deletion")).toEqual({ room: "room-a" });
});

test("while two and a half seconds are not used up, every name is stored", async () => {
  const { clock, deletion, log, endedRooms } = start();
  deletion.strikeNext("put", { meanwhile: () => clock.advance(2.4) });
  await endedRooms.queueForDeletion(names(40), log);

  expect(deletion.texts()).toHaveLength(40);
});

test("when two and a half seconds are used up, what is left is not stored, and that is an error", async () => {
  const { clock, deletion, log, endedRooms } = start();
  deletion.strikeNext("put", { meanwhile: () => clock.advance(2.5) });

  await expect(endedRooms.queueForDeletion(names(40), log)).rejects.toMatchObject({
    code: "storage-unavailable",
  });
  expect(deletion.texts().length).toBeLessThan(40);
});
