/** GET /room/list: every status it can return. */
import { expect, test } from "vitest";
import { listRooms } from "../../src/functions/list-rooms.ts";
import { invalidRequest } from "../support/failure-responses.ts";
import { useInProcessGateway } from "../support/in-process-gateway.ts";

const gateway = useInProcessGateway();

const list = async (query: Record<string, string> = {}) => gateway.call(listRooms, { query });

test("Returns 200 with an empty list if the platform has no conferences", async () => {
  expect(await list()).toMatchObject({ status: 200, json: [] });
});

test("Returns the shape that constrained_attributes selects, and 422 for an unknown word", async () => {
  gateway.addRoom("a-room");
  const isFull = async (constrained_attributes: string) =>
    Object.hasOwn(Object((await list({ constrained_attributes })).json)[0], "participant_limit");
  expect([await isFull("true"), await isFull("False"), await isFull("0")]).toEqual([false, true, true]);
  const fault = { type: "bool_parsing", loc: ["query", "constrained_attributes"], input: "maybe" };
  expect(await list({ constrained_attributes: "maybe" })).toMatchObject(invalidRequest(fault));
});
