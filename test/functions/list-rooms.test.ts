/** GET /room/list: every status it can return. */
import { expect, test } from "vitest";
import { identities } from "../../local/gateway/identities.ts";
import { listRooms } from "../../src/functions/list-rooms.ts";
import { testBearerRefusals } from "../support/bearer-refusals.ts";
import { useInProcessGateway } from "../support/in-process-gateway.ts";
import { testPlatformFaults } from "../support/platform-faults.ts";
import { testConstrainedAttributes } from "../support/query-booleans.ts";
import { programmingError, testUnexpectedError } from "../support/shared-failures.ts";

const gateway = useInProcessGateway();
const underTest = { gateway, definition: listRooms };

const list = async (query: Record<string, string> = {}) => gateway.call(listRooms, { query });

test("Returns 200 with an empty list if the platform has no conferences", async () => {
  expect(await list()).toMatchObject({ status: 200, json: [] });
});

test("Returns every conference once, even if the platform returns several pages", async () => {
  gateway.stack.platform.setBehaviour({ maxPageSize: 20 });
  gateway.stack.platform.seedRooms({ count: 65 });
  const { status, json } = await list();
  const names = (json as { name: string }[]).map(({ name }) => name);
  expect(status).toBe(200);
  expect(new Set(names).size).toBe(65);
  expect(names).toHaveLength(65);
});

test("Returns services that are not rooms with an empty PIN and tag", async () => {
  gateway.stack.platform.seedRooms({ mixed: true });
  gateway.addRoom("a-room");
  const { json } = await list();
  expect(json).toContainEqual({
    id: expect.any(Number),
    name: "Test call",
    service_type: "test_call",
    allow_guests: false,
    pin: "",
    guest_pin: "",
    tag: "",
    aliases: [expect.objectContaining({ alias: "test-call" })],
  });
  expect(json).toContainEqual(expect.objectContaining({ name: "a-room", pin: identities.hostPin }));
});

test("Ignores unknown query parameters", async () => {
  expect(await list({ unknown: "x", limit: "0" })).toMatchObject({ status: 200 });
});

testConstrainedAttributes(underTest);
testUnexpectedError(underTest, () => ({ sharedList: { list: programmingError } }));
testBearerRefusals(underTest);
testPlatformFaults(underTest);
