/** Ended rooms: their names are stored within the time that the platform waits for the response. */
import { describe, expect, test } from "vitest";
import { createEndedRooms } from "../../../src/lib/pool/deletion-queue.ts";
import { newRoomName } from "../../../src/lib/pool/new-room.ts";
import { loggableName } from "../../../src/lib/pool/room.ts";
import { secureRandom } from "../../../src/lib/ports.ts";
import { usePoolQueues } from "../../support/pool-world.ts";

const queues = usePoolQueues();
const newEndedRooms = () => createEndedRooms(queues);
const queueForDeletion = async (names: readonly string[], endedRooms = newEndedRooms()) =>
  endedRooms.queueForDeletion(names, { seq: 1, names }, queues.log);
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

  const stored = queues.deletion.texts();
  const refused = ["room-a", "room-b"].find((name) => !stored.includes(name)) ?? "";
  expect(stored).toHaveLength(1);
  expect(queues.log.fieldsOf("event-name-refused")).toEqual({ room: loggableName(refused) });
});

test("A stored name is logged if it has the form of the gateway's own names, and otherwise a hash of it", async () => {
  const own = newRoomName(secureRandom);
  await queueForDeletion([own]);
  expect(queues.log.fieldsOf("room-queued-for-deletion")).toEqual({ room: own });
  await queueForDeletion(["Anna Schmidt (private)"]);
  expect(JSON.stringify(queues.log.lines)).not.toContain("Anna");
  expect(queues.log.lines.at(-1)?.fields).toEqual({ room: expect.stringMatching(/^sha256:[0-9a-f]{12}$/) });
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

describe("A body that got 503", () => {
  const body = (seq: number) => ({ node: "10.0.0.21", seq, event: "eventsink_bulk" });

  test("makes progress with each retry, however large it is, and stores no name twice", async () => {
    const endedRooms = newEndedRooms();
    let attempts = 0;
    for (let isDone = false; !isDone && attempts < 10; attempts++) {
      // Forty puts use up the time.
      for (let put = 1; put <= 40; put++)
        queues.deletion.strikeNext("put", { meanwhile: () => queues.clock.advance(2.5 / 40) });
      isDone = await endedRooms.queueForDeletion(names(100), body(1), queues.log).then(
        () => true,
        () => false,
      );
    }
    expect(attempts).toBeGreaterThan(1);
    expect(attempts).toBeLessThan(10);
    expect(queues.deletion.texts().toSorted()).toEqual(names(100).toSorted());
  });

  test("is not mistaken for a second end of the same rooms, which has another sequence number", async () => {
    const endedRooms = newEndedRooms();
    queues.deletion.strikeNext("put", { failure: "unknown", when: "after" });
    await expect(endedRooms.queueForDeletion(["room-a"], body(1), queues.log)).rejects.toMatchObject({
      status: 503,
    });
    await endedRooms.queueForDeletion(["room-a"], body(2), queues.log);

    expect(queues.deletion.texts()).toEqual(["room-a", "room-a"]);
  });

  test("is stored again if the platform resends it after its success", async () => {
    const endedRooms = newEndedRooms();
    for (let time = 1; time <= 2; time++) await endedRooms.queueForDeletion(["room-a"], body(1), queues.log);
    expect(queues.deletion.texts()).toEqual(["room-a", "room-a"]);
  });
});
