/** Ended rooms: their names are stored within the time that the platform waits for the response. */
import { beforeEach, expect, test } from "vitest";
import type { GatewayError } from "../../../src/lib/errors.ts";
import {
  createDeletionQueueWriter,
  type DeletionQueueWriter,
} from "../../../src/lib/ownership/deletion-queue.ts";
import { loggableName } from "../../../src/lib/ownership/room.ts";
import { newRoomName } from "../../../src/lib/pool/new-room.ts";
import { secureRandom } from "../../../src/lib/ports.ts";
import { usePoolWorld } from "../../support/pool-world.ts";

const queues = usePoolWorld();
let writer: DeletionQueueWriter;
beforeEach(() => {
  writer = createDeletionQueueWriter(queues);
});
const queueForDeletion = async (names: readonly string[]) => writer.queueEndedRooms(names, queues.log);
const names = (count: number) => Array.from({ length: count }, (_, index) => `room-${index}`);

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
  for (const name of ["Anna Schmidt (private)", `${own}2`, `Anna-Schmidt_${own}`, "AnnaSchmidt"]) {
    await queueForDeletion([name]);
    expect(queues.log.lines.at(-1)?.fields).toEqual({ room: expect.stringMatching(/^sha256:[0-9a-f]{12}$/) });
  }
});

test.each([
  [2.4, "stored"],
  [2.5, "storage-unavailable"],
])("If the first put takes %d s, the outcome for 40 names is `%s`", async (seconds, expected) => {
  queues.deletion.strikeNext("put", { meanwhile: () => queues.clock.advance(seconds) });
  const outcome = await queueForDeletion(names(40)).then(
    () => "stored",
    (error: GatewayError) => error.code,
  );
  expect(outcome).toBe(expected);
  expect(new Set(queues.deletion.texts()).size === 40).toBe(expected === "stored");
});
