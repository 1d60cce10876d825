/** GET /room/list: every status it can return. */
import { expect, test } from "vitest";
import { listRooms } from "../../src/functions/list-rooms.ts";
import {
  testBearerAccess,
  testConstrainedAttributes,
  testPlatformUnavailable,
} from "../support/function-cases.ts";
import { useInProcessGateway } from "../support/in-process-gateway.ts";

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

testConstrainedAttributes(underTest);
testBearerAccess(underTest);
testPlatformUnavailable(underTest);
