/** How requests address operations: encoded room names, words of other routes, methods and repeated query keys. */
import { beforeEach, expect, test } from "vitest";
import { operations, validRequest } from "../support/api-operations.ts";
import { asAgent } from "../support/credentials.ts";
import { useRunningGateway } from "../support/running-gateway.ts";

const gateway = useRunningGateway();
beforeEach(async () => gateway.empty());

test.each(operations)(
  "$method $path returns $successStatus, also with a trailing slash",
  async (operation) => {
    for (const slash of ["", "/"]) {
      await gateway.empty();
      await gateway.poolRoom("a-room");
      const { method, path, sent } = validRequest(operation, gateway.bearerToken());
      const query = operation.query.includes("max_vmr") ? "?max_vmr=0" : "";
      const response = await gateway.send(`${method} ${path.replace(/\/$/, "")}${slash}${query}`, sent);
      expect(response.status).toBe(operation.successStatus);
    }
  },
);

test.each(["PATCH /room/list", "DELETE /room/list", "GET /room/bulk", "PATCH /room/Bulk/"])(
  "%s returns 404, because the words of other routes cannot be room names",
  async (request) => {
    gateway.addRoom("list");
    gateway.addRoom("bulk");
    expect(await gateway.sendAsApplication(request, { json: {} })).toMatchObject({ status: 404, text: "" });
    expect(gateway.stack.platform.roomCount()).toBe(2);
  },
);

test.each([
  ["listing", "listing"],
  ["create", "create"],
  ["a%2Fb", "a/b"],
  ["a%252Fb", "a/b"],
  ["a%2Bb", "a+b"],
  ["%20Z%C3%BCrich%20%E2%98%83", " Zürich ☃"],
  ["a%26name%3Db%3Fc%23d", "a&name=b?c#d"],
  ["100%25", "100%"],
  ["x".repeat(250), "x".repeat(250)],
])("Operations with the room name %s in the path address only %j", async (wire, name) => {
  gateway.addRoom(name);
  gateway.addRoom("another-room");
  const read = { status: 200, json: { name } };
  expect(await gateway.sendAsApplication(`GET /room/${wire}`)).toMatchObject(read);
  expect(await gateway.send(`GET /public/room/${wire}/`, { headers: asAgent })).toMatchObject(read);
  const json = { participant_limit: 3 };
  expect(await gateway.sendAsApplication(`PATCH /room/${wire}`, { json })).toMatchObject({ status: 202 });
  expect(gateway.room(name)).toMatchObject(json);
  expect(await gateway.sendAsApplication(`DELETE /room/${wire}`)).toMatchObject({ status: 204 });
  expect(gateway.stack.platform.rooms().map((room) => room.name)).toEqual(["another-room"]);
});

test.each(["x".repeat(300), "%25%25", "..%2F..", "a%2F..%2Fanother-room"])(
  "GET and DELETE of /room/%s return 404 and affect no other room",
  async (wire) => {
    gateway.addRoom("another-room");
    expect(await gateway.sendAsApplication(`GET /room/${wire}`)).toMatchObject({ status: 404, text: "" });
    expect(await gateway.sendAsApplication(`DELETE /room/${wire}`)).toMatchObject({ status: 404, text: "" });
    expect(gateway.room("another-room")).toBeDefined();
  },
);

test.each([
  ["constrained_attributes=true&constrained_attributes=true", 422],
  ["constrained_attributes=true&other=1&other=2", 200],
  ["constrained_attributes", 422],
  ["constrained%5Fattributes=true", 200],
])("GET /room/list?%s returns %i, because a known parameter may be sent once", async (query, status) => {
  expect(await gateway.sendAsApplication(`GET /room/list?${query}`)).toMatchObject({ status });
});

test.each([
  ["uuidata=3864", { loc: ["query", "uuidata"], msg: "Value error, the parameter is called uuiData" }],
  [
    "uuiData=38&uuiData=39",
    { loc: ["query", "uuiData"], msg: "Value error, uuiData must be sent only once" },
  ],
])("POST /room/create?%s returns 422 and keeps the room in the pool", async (query, fault) => {
  await gateway.poolRoom("a-room");
  const response = await gateway.sendAsApplication(`POST /room/create?${query}`);
  expect(response).toMatchObject({ status: 422, json: { detail: [fault] } });
  expect(await gateway.queues.pool.receive(1, 1)).toHaveLength(1);
});

test("HEAD /public/health returns 200 without a body, and HEAD returns 404 elsewhere", async () => {
  const head = await gateway.send("HEAD /public/health");
  expect(head).toMatchObject({ status: 200, text: "", headers: { "content-type": "application/json" } });
  expect(await gateway.sendAsApplication("HEAD /room/list")).toMatchObject({ status: 404 });
});
