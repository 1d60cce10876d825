/** DELETE /room/bulk/: every status it can return. */
import { expect, test } from "vitest";
import { bulkDeleteRooms } from "../../src/functions/bulk-delete-rooms.ts";
import { testBearerRefusals } from "../support/bearer-refusals.ts";
import { useInProcessGateway } from "../support/in-process-gateway.ts";
import { testPlatformFaults } from "../support/platform-faults.ts";
import { programmingError, testUnexpectedError } from "../support/shared-failures.ts";

const gateway = useInProcessGateway();
const underTest = { gateway, definition: bulkDeleteRooms };

const deleteAll = async () => gateway.call(bulkDeleteRooms);
const remaining = () =>
  gateway.stack.platform
    .rooms()
    .map(({ name }) => name)
    .toSorted();

test("Returns 204, deletes pooled and assigned rooms and empties the pool", async () => {
  await gateway.poolRoom("pooled-room");
  const description = "vmr-gateway assigned 2026-01-01T00:00:00.000Z some-message";
  gateway.addRoom("assigned-room", { description });
  expect(await deleteAll()).toMatchObject({ status: 204, text: "" });
  expect(remaining()).toEqual([]);
  expect(await gateway.queues.pool.count()).toBe(0);
});

test("Removes pending provisioning requests", async () => {
  await gateway.queues.provisioning.put('{"reason":"claimed"}');
  await deleteAll();
  expect(await gateway.queues.provisioning.count()).toBe(0);
});

test("Keeps persistent rooms and conferences that do not belong to the gateway", async () => {
  gateway.stack.platform.seedRooms({ mixed: true });
  const foreign = remaining();
  for (const name of ["test_room", "vkiosk_room", "a-room"]) gateway.addRoom(name);
  expect(await deleteAll()).toMatchObject({ status: 204 });
  expect(remaining()).toEqual([...foreign, "test_room", "vkiosk_room"].toSorted());
});

test("Deletes a room without a marker if its name is in the pool", async () => {
  await gateway.poolRoom("a-room", { description: "made by hand" });
  gateway.addRoom("another-room", { description: "made by hand" });
  expect(await deleteAll()).toMatchObject({ status: 204 });
  expect(remaining()).toEqual(["another-room"]);
});

test("Returns 204 if there is nothing to delete", async () => {
  expect(await deleteAll()).toMatchObject({ status: 204 });
});

test("Returns 503 bulk-delete-incomplete with Retry-After if one room cannot be deleted, and deletes the others", async () => {
  for (const name of ["a-room", "another-room"]) gateway.addRoom(name);
  const id = String(gateway.room("a-room")?.["id"]);
  gateway.stack.platform.addFault({ kind: "status", status: 409, method: "DELETE", pathPattern: `/${id}/$` });
  expect(await deleteAll()).toMatchObject({
    status: 503,
    code: "bulk-delete-incomplete",
    json: { detail: "Not all rooms have been deleted; retry the request" },
    headers: { "retry-after": "30" },
  });
  expect(gateway.log.join("\n")).toContain("bulk-delete-incomplete");
  expect(remaining()).toEqual(["a-room"]);
});

test("Returns 503 storage-unavailable if the queues cannot be reached, and deletes no room", async () => {
  gateway.addRoom("a-room");
  expect(await gateway.call(bulkDeleteRooms, {}, gateway.connect(gateway.storageDown()))).toMatchObject({
    status: 503,
    code: "storage-unavailable",
    json: { detail: "The room queues cannot be reached" },
  });
  expect(remaining()).toEqual(["a-room"]);
});

testUnexpectedError(underTest, () => ({ bulkDeletion: { deleteAll: programmingError } }));
testBearerRefusals(underTest);
testPlatformFaults(underTest);
