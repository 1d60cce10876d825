/** Creating a room: what is refused before a room is claimed, and what of it reaches the log. */
import { HttpRequest, InvocationContext } from "@azure/functions";
import { expect, test } from "vitest";
import { createRoomFromQueue } from "../../../src/functions/create-room-from-queue.ts";
import { toHandler } from "../../../src/lib/http/pipeline.ts";
import { parseJson } from "../../../tools/local/process/parse-json.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { openAccess } from "../../support/open-access.ts";
import { canary, refusedUuiData } from "../../support/refused-uui-data.ts";

/** Sends a create and returns its response and log. No room is there to be claimed. */
async function create(query: string, body?: string) {
  const lines: string[] = [];
  const room = { id: 7, name: "room-a" };
  const claim = async () => room;
  const handler = toHandler(createRoomFromQueue, {
    accessChecks: openAccess,
    clock: createManualClock(),
    claims: { claim },
    idempotentClaims: { claim },
    serviceTagBaseUrl: "https://verify.example.com",
  });
  const url = `http://127.0.0.1/room/create?${query}`;
  const logHandler = (_level: string, line: unknown) => void lines.push(String(line));
  const context = new InvocationContext({ functionName: "createRoomFromQueue", logHandler });
  const sent = body === undefined ? {} : { body: { string: body } };
  const response = await handler(new HttpRequest({ method: "POST", url, ...sent }), context);
  return {
    status: response.status,
    json: typeof response.body === "string" ? parseJson(response.body) : undefined,
    lines,
  };
}

test.each(Object.entries(refusedUuiData))("uuiData with %s is 422 and is not logged", async (_, query) => {
  const { status, lines } = await create(query);
  expect(status).toBe(422);
  expect(lines).toEqual([expect.stringContaining('"status":422')]);
  expect(lines.join("")).not.toContain(canary);
  expect(lines.join("")).not.toContain(Buffer.from(canary).toString("hex"));
});

test.each(["uuiData", "uuidata", "UUIDATA"])(
  "A JSON body with %s is 422, which says where it belongs",
  async (name) => {
    const { status, json, lines } = await create("", JSON.stringify({ other: 1, [name]: canary }));
    const msg = "Value error, a create has no body; send uuiData as a query parameter";
    const fault = { type: "value_error", loc: ["body", name], msg, ctx: { error: {} } };
    expect([status, json]).toEqual([422, { detail: [fault] }]);
    expect(lines.join("")).not.toContain(canary);
  },
);

test.each([
  "",
  "{}",
  '{"tag":"x"}',
  '["uuiData"]',
  '"uuiData"',
  "null",
  '{"uuiData"',
  "uuiData=61",
  '{"a":{"uuiData":1}}',
])("The body %j is ignored", async (body) => {
  expect((await create("", body)).status).toBe(200);
});
