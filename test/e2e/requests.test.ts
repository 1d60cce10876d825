/** Requests that the host could change, and the fault that the API document shows. */
import { beforeEach, describe, expect, test } from "vitest";
import { document } from "../support/api-document.ts";
import { operations, validRequest } from "../support/api-operations.ts";
import { asAgent, asEventSink } from "../support/credentials.ts";
import { useRunningGateway } from "../support/running-gateway.ts";

const gateway = useRunningGateway();
beforeEach(async () => gateway.empty());

describe("A target", () => {
  test.each(operations)(
    "$method $path returns $successStatus, also with a final slash",
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

  test("with a word of another route instead of a room name returns 404, and no room changes", async () => {
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
    ["a%2Bb", "a+b"],
    ["%20Z%C3%BCrich%20%E2%98%83", " Zürich ☃"],
    ["a%26name%3Db%3Fc%23d", "a&name=b?c#d"],
    ["100%25", "100%"],
    ["x".repeat(250), "x".repeat(250)],
  ])("with the room name %s addresses only %j", async (wire, name) => {
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

  test("with dots or percent signs for a room name returns 404 and affects no room", async () => {
    gateway.addRoom("another-room");
    for (const wire of ["x".repeat(300), "%25%25", "..%2F..", "a%2F..%2Fanother-room"]) {
      for (const method of ["GET", "DELETE"]) {
        const { status, text } = await gateway.sendAsApplication(`${method} /room/${wire}`);
        expect([method, wire, status, text]).toEqual([method, wire, 404, ""]);
      }
    }
    expect(gateway.room("another-room")).toBeDefined();
  });
});

test("HEAD returns 200 without a body for /public/health, and 404 for every other path", async () => {
  const head = await gateway.send("HEAD /public/health");
  expect(head).toMatchObject({ status: 200, text: "", headers: { "content-type": "application/json" } });
  expect(await gateway.sendAsApplication("HEAD /room/list")).toMatchObject({ status: 404 });
});

describe("A body", () => {
  const asJson = { "content-type": "application/json" };
  /** Sends a body to both operations that accept one; returns the responses to PATCH and to the event sink. */
  const sendBoth = async (text: string, headers: Record<string, string> = asJson) => [
    await gateway.sendAsApplication("PATCH /room/a-room", { text, headers }),
    await gateway.send("POST /public/event_sink", { text, headers: { ...asEventSink(), ...headers } }),
  ];
  beforeEach(() => void gateway.addRoom("a-room"));

  test.each([
    ["of 1 MiB is accepted", `{}${" ".repeat(2 ** 20 - 2)}`, 202, 204],
    ["of one byte more results in 413", `{}${" ".repeat(2 ** 20 - 1)}`, 413, 413],
    ["of 17 MB results in 413", " ".repeat(17 * 2 ** 20), 413, 413],
    ["of 100,000 levels results in 422", `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`, 422, 422],
    ["after a byte order mark is accepted", "\ufeff{}", 202, 204],
  ])("%s", async (_, text, ofPatch, ofEvent) => {
    expect(await sendBoth(text)).toMatchObject([{ status: ofPatch }, { status: ofEvent }]);
  });

  test("that is chunked results in 411, because the host drops it", async () => {
    const responses = await sendBoth("{}", { ...asJson, "transfer-encoding": "chunked" });
    const refused = { status: 411, json: { detail: "Send the body with a Content-Length header" } };
    expect(responses).toMatchObject([refused, refused]);
  });
});

test("The API document's example of a 422 is what the gateway returns for the request that it describes", async () => {
  const response = await gateway.sendAsApplication("POST /room/create?uuiData=xyz%3Bencoding%3Dhex");
  const documented = document.paths["/room/create"]?.["post"]?.responses["422"]?.content["application/json"];
  expect(response).toMatchObject({ status: 422, json: documented?.["example"] });
});
