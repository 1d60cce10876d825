/** DELETE /room/bulk/: every status it can answer. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { bulkDeleteRooms } from "../../src/functions/bulk-delete-rooms.ts";
import { testBearerRefusals } from "../support/bearer-refusals.ts";
import {
  type InProcessGateway,
  programmingError,
  startInProcessGateway,
  storageDown,
} from "../support/in-process-gateway.ts";
import { testPlatformFaults } from "../support/platform-faults.ts";

let gateway: InProcessGateway;
beforeAll(async () => {
  gateway = await startInProcessGateway();
});
beforeEach(async () => gateway.reset());
afterAll(async () => gateway.stop());

const removeAll = async () => gateway.call(bulkDeleteRooms, { headers: gateway.asApplication() });
const left = () =>
  gateway.stack.platform
    .rooms()
    .map(({ name }) => name)
    .toSorted();

test("204 every room of ours is gone, pooled or assigned, and the pool is empty", async () => {
  await gateway.poolRoom("pooled-room");
  const description = "vmr-gateway assigned 2026-01-01T00:00:00.000Z some-message";
  gateway.addRoom("assigned-room", { description });
  expect(await removeAll()).toMatchObject({ status: 204, text: "" });
  expect(left()).toEqual([]);
  expect(await gateway.queues.pool.count()).toBe(0);
});

test("204 waiting requests for rooms are gone too", async () => {
  await gateway.queues.provisioning.put('{"reason":"claimed"}');
  await removeAll();
  expect(await gateway.queues.provisioning.count()).toBe(0);
});

test("204 persistent rooms and what is not ours stay", async () => {
  gateway.stack.platform.seedRooms({ mixed: true });
  const foreign = left();
  for (const name of ["test_room", "vkiosk_room", "a-room"]) gateway.addRoom(name);
  expect(await removeAll()).toMatchObject({ status: 204 });
  expect(left()).toEqual([...foreign, "test_room", "vkiosk_room"].toSorted());
});

test("204 a room without a marker whose name was in the pool", async () => {
  await gateway.poolRoom("a-room", { description: "made by hand" });
  gateway.addRoom("another-room", { description: "made by hand" });
  expect(await removeAll()).toMatchObject({ status: 204 });
  expect(left()).toEqual(["another-room"]);
});

test("204 of nothing", async () => {
  expect(await removeAll()).toMatchObject({ status: 204 });
});

test("503 bulk-delete-incomplete with Retry-After when a room resists, and the others are gone", async () => {
  for (const name of ["a-room", "another-room"]) gateway.addRoom(name);
  const id = String(gateway.room("a-room")?.["id"]);
  gateway.stack.platform.addFault({ kind: "status", status: 409, method: "DELETE", pathPattern: `/${id}/$` });
  const answer = await removeAll();
  expect(answer).toMatchObject({
    status: 503,
    code: "bulk-delete-incomplete",
    json: { detail: "Not all rooms have been deleted; retry the request" },
  });
  expect(answer.headers.get("retry-after")).toBe("30");
  expect(gateway.log.join("\n")).toContain("bulk-delete-incomplete");
  expect(left()).toEqual(["a-room"]);
});

test("503 storage-unavailable while the queues cannot be reached, and no room is touched", async () => {
  gateway.addRoom("a-room");
  const needs = gateway.connect(storageDown(gateway.stack.settings));
  const answer = await gateway.call(bulkDeleteRooms, { headers: gateway.asApplication() }, needs);
  expect(answer).toMatchObject({
    status: 503,
    code: "storage-unavailable",
    json: { detail: "The room queues cannot be reached" },
  });
  expect(left()).toEqual(["a-room"]);
});

test("500 with a fixed text for an unexpected error", async () => {
  const needs = { ...gateway.dependencies(), bulkDeletion: { deleteAll: programmingError } };
  const answer = await gateway.call(bulkDeleteRooms, { headers: gateway.asApplication() }, needs);
  expect(answer).toMatchObject({
    status: 500,
    code: "unexpected",
    json: { detail: "Internal Server Error" },
  });
});

testBearerRefusals(() => gateway, bulkDeleteRooms, {});
testPlatformFaults({
  gateway: () => gateway,
  definition: bulkDeleteRooms,
  sent: {},
  headers: () => gateway.asApplication(),
});
