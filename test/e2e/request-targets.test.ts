/** How operations are addressed: trailing slashes, room names in every encoding, methods, repeated query keys. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { asAgent, asEventSink } from "../support/credentials.ts";
import { acceptedBooleans, refusedBooleans } from "../support/query-booleans.ts";
import { type RunningGateway, startRunningGateway } from "../support/running-gateway.ts";

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startRunningGateway();
});
afterAll(async () => gateway.stop());
beforeEach(async () => gateway.empty());

const every: [string, string, number][] = [
  ["POST", "/room/create", 200],
  ["POST", "/room/create/old", 200],
  ["GET", "/room/list", 200],
  ["GET", "/room/a-room", 200],
  ["PATCH", "/room/a-room", 202],
  ["DELETE", "/room/a-room", 204],
  ["POST", "/room/bulk", 202],
  ["DELETE", "/room/bulk", 204],
  ["GET", "/public/room/a-room", 200],
  ["POST", "/public/event_sink", 204],
  ["GET", "/public/health", 200],
];

function headersFor(path: string): Record<string, string> {
  if (path.startsWith("/public/room")) return asAgent;
  return path.startsWith("/public") ? asEventSink() : gateway.asApplication();
}

for (const slash of ["", "/"]) {
  test.each(every)(`%s %s${slash} answers %i`, async (method, path, status) => {
    await gateway.queues.pool.put(gateway.addRoom("a-room"));
    const target =
      method === "POST" && path === "/room/bulk" ? `${path}${slash}?max_vmr=0` : `${path}${slash}`;
    const withBody = method === "PATCH" || path === "/public/event_sink";
    const sent = { headers: headersFor(path), ...(withBody && { json: {} }) };
    expect(await gateway.send(`${method} ${target}`, sent)).toMatchObject({ status });
  });
}

test.each(["/room/LIST", "/Room/List", "/ROOM/list/"])(
  "GET %s is the list, as routes ignore case",
  async (path) => {
    expect(await gateway.sendAsApplication(`GET ${path}`)).toMatchObject({ status: 200, json: [] });
  },
);

test.each(["PATCH /room/list", "DELETE /room/list", "GET /room/bulk", "PATCH /room/Bulk/"])(
  "%s is 404: the words of other routes are no room names",
  async (request) => {
    gateway.addRoom("list");
    gateway.addRoom("bulk");
    expect(await gateway.sendAsApplication(request, { json: {} })).toMatchObject({ status: 404, text: "" });
    expect(gateway.stack.platform.roomCount()).toBe(2);
  },
);

test.each(["listing", "bulky", "create", "my-list", "health"])(
  "a room called %s can be read",
  async (name) => {
    gateway.addRoom(name);
    expect(await gateway.sendAsApplication(`GET /room/${name}`)).toMatchObject({
      status: 200,
      json: { name },
    });
  },
);

test.each(["/room//a-room", "//room/a-room", "/room/a-room//"])(
  "GET %s is 404: double slashes match nothing",
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

test.each(names)(
  "the room addressed as %s is %j: read, changed, read by an agent and deleted",
  async (wire, name) => {
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
  },
);

test.each(["x".repeat(300), "%E2%98%83".repeat(300), "%25%25", "..%2F..", "a%2F..%2Fanother-room"])(
  "GET and DELETE of /room/%s are 404, and touch no other room",
  async (wire) => {
    gateway.addRoom("another-room");
    expect(await gateway.sendAsApplication(`GET /room/${wire}`)).toMatchObject({ status: 404, text: "" });
    expect(await gateway.sendAsApplication(`DELETE /room/${wire}`)).toMatchObject({ status: 404, text: "" });
    expect(gateway.room("another-room")).toBeDefined();
  },
);

test.each(["GET /room/%00", "GET /room/a%00b"])("%s is 400 of the host", async (request) => {
  expect(await gateway.sendAsApplication(request)).toMatchObject({ status: 400, text: "" });
});

test.each(acceptedBooleans)("constrained_attributes=%s is %s", async (text, isConstrained) => {
  gateway.addRoom("a-room");
  const target = `/room/a-room?constrained_attributes=${encodeURIComponent(text)}`;
  const answer = await gateway.sendAsApplication(`GET ${target}`);
  expect(answer.status).toBe(200);
  expect("participant_limit" in (answer.json as object)).toBe(!isConstrained);
});

test.each(refusedBooleans)("constrained_attributes=%j is 422", async (text) => {
  const target = `/room/list?constrained_attributes=${encodeURIComponent(text)}`;
  expect(await gateway.sendAsApplication(`GET ${target}`)).toMatchObject({ status: 422 });
});

test.each([
  ["constrained_attributes=true&constrained_attributes=false", 422],
  ["constrained_attributes=true&constrained_attributes=true", 422],
  ["constrained_attributes=true&other=1&other=2", 200],
  ["constrained_attributes", 422],
  ["&&&", 200],
  ["constrained_attributes=true;x", 422],
  ["constrained%5Fattributes=true", 200],
])("GET /room/list?%s is %i: the host joins repeated keys", async (query, status) => {
  expect(await gateway.sendAsApplication(`GET /room/list?${query}`)).toMatchObject({ status });
});

test("repeated uuiData is 422, and the pool keeps its room", async () => {
  await gateway.queues.pool.put(gateway.addRoom("a-room"));
  const answer = await gateway.sendAsApplication("POST /room/create?uuiData=3864&uuiData=3966");
  expect(answer).toMatchObject({ status: 422 });
  expect(await gateway.queues.pool.receive(1, 1)).toHaveLength(1);
});
