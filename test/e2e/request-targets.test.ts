/** How requests address operations: trailing slashes, encoded room names, methods and repeated query keys. */
import { beforeEach, expect, test } from "vitest";
import { operations, validRequest } from "../support/api-operations.ts";
import { asAgent } from "../support/credentials.ts";
import { useRunningGateway } from "../support/running-gateway.ts";

const gateway = useRunningGateway();
beforeEach(async () => gateway.empty());

const everyTarget = operations.flatMap((operation) => {
  const target = operation.path.replace(/\/$/, "");
  return [target, `${target}/`].map((path) => ({ ...operation, path }));
});

test.each(everyTarget)("$method $path returns $successStatus", async (operation) => {
  await gateway.poolRoom("a-room");
  const { method, path, sent } = validRequest(operation, gateway.bearerToken());
  const target = operation.query.includes("max_vmr") ? `${path}?max_vmr=0` : path;
  expect(await gateway.send(`${method} ${target}`, sent)).toMatchObject({ status: operation.successStatus });
});

test.each(["/room/LIST", "/Room/List", "/ROOM/list/"])(
  "GET %s returns the list, because routes ignore case",
  async (path) => {
    expect(await gateway.sendAsApplication(`GET ${path}`)).toMatchObject({ status: 200, json: [] });
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

test.each(["listing", "bulky", "create", "my-list", "health"])("GET returns the room %s", async (name) => {
  gateway.addRoom(name);
  expect(await gateway.sendAsApplication(`GET /room/${name}`)).toMatchObject({
    status: 200,
    json: { name },
  });
});

test.each(["/room//a-room", "//room/a-room", "/room/a-room//"])(
  "GET %s returns 404, because double slashes match no route",
  async (path) => {
    gateway.addRoom("a-room");
    expect(await gateway.sendAsApplication(`GET ${path}`)).toMatchObject({ status: 404 });
  },
);

const names: [wire: string, name: string][] = [
  ["a%2Fb", "a/b"],
  ["a%2fb%2F%2Fc", "a/b//c"],
  ["a%252Fb", "a/b"],
  ["a+b", "a+b"],
  ["a%2Bb", "a+b"],
  ["ab==", "ab=="],
  ["ab%3D%3D", "ab=="],
  ["a%20b", "a b"],
  ["%20a%20", " a "],
  ["Z%C3%BCrich%20%E2%98%83", "Zürich ☃"],
  ["%F0%9F%8E%A5", "🎥"],
  ["a%26name%3Db", "a&name=b"],
  ["a%3Fb%23c", "a?b#c"],
  ["100%25", "100%"],
  ["a;b,c", "a;b,c"],
  ["%22%3Ca%3E%27", "\"<a>'"],
  ["x".repeat(250), "x".repeat(250)],
];

test.each(names)("Operations with the room name %s in the path address only %j", async (wire, name) => {
  gateway.addRoom(name);
  gateway.addRoom("another-room");
  expect(await gateway.sendAsApplication(`GET /room/${wire}`)).toMatchObject({
    status: 200,
    json: { name },
  });
  const json = { participant_limit: 3 };
  expect(await gateway.sendAsApplication(`PATCH /room/${wire}`, { json })).toMatchObject({ status: 202 });
  expect(gateway.room(name)).toMatchObject({ participant_limit: 3 });
  const read = await gateway.send(`GET /public/room/${wire}/`, { headers: asAgent });
  expect(read).toMatchObject({ status: 200, json: { name } });
  expect(await gateway.sendAsApplication(`DELETE /room/${wire}`)).toMatchObject({ status: 204 });
  expect(gateway.stack.platform.rooms().map((room) => room.name)).toEqual(["another-room"]);
});

test.each(["x".repeat(300), "%E2%98%83".repeat(300), "%25%25", "..%2F..", "a%2F..%2Fanother-room"])(
  "GET and DELETE of /room/%s return 404 and affect no other room",
  async (wire) => {
    gateway.addRoom("another-room");
    expect(await gateway.sendAsApplication(`GET /room/${wire}`)).toMatchObject({ status: 404, text: "" });
    expect(await gateway.sendAsApplication(`DELETE /room/${wire}`)).toMatchObject({ status: 404, text: "" });
    expect(gateway.room("another-room")).toBeDefined();
  },
);

test.each(["GET /room/%00", "GET /room/a%00b"])("%s returns the host's 400", async (request) => {
  expect(await gateway.sendAsApplication(request)).toMatchObject({ status: 400, text: "" });
});

// The host joins the values of repeated keys.
test.each([
  ["constrained_attributes=true&constrained_attributes=false", 422],
  ["constrained_attributes=true&constrained_attributes=true", 422],
  ["constrained_attributes=true&other=1&other=2", 200],
  ["constrained_attributes", 422],
  ["&&&", 200],
  ["constrained_attributes=true;x", 422],
  ["constrained%5Fattributes=true", 200],
])("GET /room/list?%s returns %i, because a known parameter may be sent once", async (query, status) => {
  expect(await gateway.sendAsApplication(`GET /room/list?${query}`)).toMatchObject({ status });
});

test.each(["uuidata", "uui_data", "UUI-Data"])(
  "POST /room/create returns 422 for %s, names uuiData and keeps the room in the pool",
  async (name) => {
    await gateway.poolRoom("a-room");
    expect(await gateway.sendAsApplication(`POST /room/create?${name}=3864`)).toMatchObject({
      status: 422,
      json: { detail: [{ loc: ["query", name], msg: "Value error, the parameter is called uuiData" }] },
    });
    expect(await gateway.queues.pool.receive(1, 1)).toHaveLength(1);
  },
);

test("HEAD /public/health returns 200 without a body, and HEAD returns 404 elsewhere", async () => {
  const head = await gateway.send("HEAD /public/health");
  expect(head).toMatchObject({ status: 200, text: "", headers: { "content-type": "application/json" } });
  expect(await gateway.sendAsApplication("HEAD /room/list")).toMatchObject({ status: 404 });
});

test("POST /room/create returns 422 for repeated uuiData and keeps the room in the pool", async () => {
  await gateway.poolRoom("a-room");
  const response = await gateway.sendAsApplication("POST /room/create?uuiData=3864&uuiData=3966");
  expect(response).toMatchObject({
    status: 422,
    json: { detail: [{ loc: ["query", "uuiData"], msg: "Value error, uuiData must be sent only once" }] },
  });
  expect(await gateway.queues.pool.receive(1, 1)).toHaveLength(1);
});
