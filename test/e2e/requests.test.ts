/** Requests that the host could change, and the fault that the API document shows. */
import { beforeEach, expect, test, vi } from "vitest";
import { contactCentreUsers } from "../../tools/simulators/identities.ts";
import { document } from "../support/api-document.ts";
import { asAgent } from "../support/credentials.ts";
import { useRunningGateway } from "../support/running-gateway.ts";

const gateway = useRunningGateway(() => ({ GIVEN_SETTING_NAMES: "MAX_VMR,SETTING_OF_NEXT_RELEASE" }));
beforeEach(async () => gateway.empty());

test("The app asks for the signing keys when it starts, before any call, and warns of a setting that it does not know", async () => {
  const lines = gateway.log.map(({ message }) => message);
  expect(lines).toContain('{"event":"settings-unknown","names":"SETTING_OF_NEXT_RELEASE"}');
  await expect.poll(() => gateway.stack.issuer.fetchCounts()).toMatchObject({ metadata: 2, keys: 2 });
});

test("A word of another route instead of a room name returns 404, and no room changes", async () => {
  for (const name of ["list", "bulk"]) gateway.addRoom(name);
  for (const request of ["PATCH /room/list", "DELETE /room/list", "GET /room/bulk", "PATCH /room/Bulk/"]) {
    const { status, text } = await gateway.sendAsApplication(request, { json: {} });
    expect([request, status, text]).toEqual([request, 404, ""]);
  }
  expect(gateway.stack.platform.roomCount()).toBe(2);
});

test.each([
  ["listing", "listing"],
  ["a%252Fb", "a/b"],
  ["%20Z%C3%BCrich%20%E2%98%83", " Zürich ☃"],
  ["a%26name%3Db%3Fc%23d%2B100%25", "a&name=b?c#d+100%"],
  ["x".repeat(250), "x".repeat(250)],
])("The room name %s addresses only the room `%s`", async (wire, name) => {
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

test("Dots or percent signs for a room name return 404 and affect no room", async () => {
  gateway.addRoom("another-room");
  for (const wire of ["x".repeat(300), "%25%25", "..%2F..", "a%2F..%2Fanother-room"]) {
    for (const method of ["GET", "DELETE"]) {
      const { status, text } = await gateway.sendAsApplication(`${method} /room/${wire}`);
      expect([method, wire, status, text]).toEqual([method, wire, 404, ""]);
    }
  }
  expect(gateway.room("another-room")).toBeDefined();
});

test("The API document's example of a 422 is what the gateway returns for the request that it describes", async () => {
  const response = await gateway.sendAsApplication("POST /room/create?uuiData=xyz%3Bencoding%3Dhex");
  const documented = document.paths["/room/create"]?.["post"]?.responses["422"]?.content["application/json"];
  expect(response).toMatchObject({ status: 422, json: documented?.["example"] });
});

test("An agent who asks while the contact centre counts as silent is served by the same instance 5 s later", async () => {
  gateway.addAssigned("room-1");
  const { contactCentre } = gateway.stack;
  const [agent] = contactCentreUsers;
  if (agent) contactCentre.setUsers([...contactCentreUsers, { ...agent, token: "agent-during-silence" }]);
  const read = async (token: string) =>
    gateway.send("GET /public/room/room-1", { headers: { "x-auth-token": token } });
  contactCentre.failNext({ kind: "reset", count: 2 });
  for (const token of ["unknown-1", "unknown-2"]) expect(await read(token)).toMatchObject({ status: 503 });
  // A busy computer may take so long that this is served already.
  expect([200, 503]).toContain((await read("agent-during-silence")).status);
  const served = async () => expect(await read("agent-during-silence")).toMatchObject({ status: 200 });
  await vi.waitFor(served, { timeout: 60_000, interval: 500 });
});
