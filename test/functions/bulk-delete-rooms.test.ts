/** DELETE /room/bulk/: every status it can return. */
import { expect, test } from "vitest";
import { bulkDeleteRooms } from "../../src/functions/bulk-delete-rooms.ts";
import { failure } from "../support/failure-responses.ts";
import { useInProcessGateway } from "../support/in-process-gateway.ts";

const gateway = useInProcessGateway();

const deleteAll = async () => gateway.call(bulkDeleteRooms);
const remaining = () => gateway.stack.platform.rooms().map(({ name }) => name);

test("Returns 204, deletes pooled and assigned rooms and empties the pool", async () => {
  await gateway.poolRoom("pooled-room");
  const description = "vmr-gateway vmr-gateway assigned 2026-01-01T00:00:00.000Z some-message";
  gateway.addRoom("assigned-room", { description });
  expect(await deleteAll()).toMatchObject({ status: 204, text: "" });
  expect(remaining()).toEqual([]);
  expect(await gateway.queues.pool.count()).toBe(0);
});

test("Returns 503 bulk-delete-incomplete with Retry-After if one room cannot be deleted, and deletes the others", async () => {
  for (const name of ["a-room", "another-room"]) gateway.addRoom(name);
  const id = String(gateway.room("a-room")?.["id"]);
  gateway.stack.platform.addFault({ kind: "status", status: 409, method: "DELETE", pathPattern: `/${id}/$` });
  expect(await deleteAll()).toMatchObject(failure("bulk-delete-incomplete", { "retry-after": "30" }));
  expect(gateway.log.join("\n")).toContain("bulk-delete-incomplete");
  expect(remaining()).toEqual(["a-room"]);
});
