/** The tests of how creating a room fails, on either of its two paths. */
import { expect, test } from "vitest";
import type { HttpFunction } from "../../src/lib/http/contract.ts";
import type { Dependencies } from "../../src/lib/wiring/dependencies.ts";
import { type InProcessGateway, programmingError, storageDown } from "./in-process-gateway.ts";

const hex = (text: string) => Buffer.from(text, "utf8").toString("hex");

const refusedTags: readonly (readonly [what: string, uuiData: string, reason: string])[] = [
  ["an odd number of digits", "6;encoding=hex", "uuiData must be pairs of hexadecimal digits"],
  ["other characters", "zz;encoding=hex", "uuiData must be pairs of hexadecimal digits"],
  ["nothing", "", "uuiData must be pairs of hexadecimal digits"],
  ["another encoding", `${hex("abc")};encoding=ascii`, "the encoding must be hex"],
  ["bytes that are not UTF-8", "c328;encoding=hex", "uuiData must be UTF-8 without control characters"],
  ["a control character", hex("abc\u0007"), "uuiData must be UTF-8 without control characters"],
  [
    "a URL with credentials",
    hex("https://a:b@example.com/"),
    "uuiData must contain an http or https URL without credentials, or a path token",
  ],
  [
    "another scheme",
    hex("ftp://example.com/x"),
    "uuiData must contain an http or https URL without credentials, or a path token",
  ],
  [
    "a tag of 251 characters",
    hex(`https://example.com/${"x".repeat(231)}`),
    "the service tag must have at most 250 characters",
  ],
  ["5,000 characters", "61".repeat(2500), "uuiData is too long"],
];

/** Declares them for one path. */
export function testRoomCreationFailures(
  gateway: () => InProcessGateway,
  definition: HttpFunction<Dependencies>,
): void {
  const create = async (query: Record<string, string> = {}, needs?: Dependencies) =>
    gateway().call(definition, { query, headers: gateway().asApplication() }, needs);
  const texts = async (queue: "pool" | "deletion" | "provisioning") =>
    (await gateway().queues[queue].receive(32, 1)).map(({ text }) => text);

  test.each(refusedTags)(
    "422 for uuiData with %s, and the pool is not touched",
    async (_, uuiData, reason) => {
      await gateway().poolRoom("a-room");
      const answer = await create({ uuiData });
      expect(answer).toMatchObject({
        status: 422,
        code: "invalid-request",
        json: {
          detail: [
            {
              type: "value_error",
              loc: ["query", "uuiData"],
              msg: `Value error, ${reason}`,
              ctx: { error: {} },
            },
          ],
        },
      });
      expect(await texts("pool")).toEqual(["a-room"]);
    },
  );

  test("404 pool-exhausted without a body from an empty pool, with Retry-After and one healing request", async () => {
    const answer = await create();
    expect(answer).toMatchObject({ status: 404, code: "pool-exhausted", text: "" });
    expect(answer.headers.get("retry-after")).toBe("10");
    expect(await texts("provisioning")).toEqual(['{"reason":"healing","upTo":50}']);
    expect(gateway().log.join("\n")).toContain("pool-exhausted");
  });

  test("502 platform-rejected when the platform refuses the tag, and the message waits out its lease", async () => {
    await gateway().poolRoom("a-room");
    gateway().stack.platform.addFault({ kind: "status", status: 400, method: "PATCH" });
    expect(await create({ uuiData: hex("8d1f") })).toMatchObject({ status: 502, code: "platform-rejected" });
    expect(await gateway().queues.pool.count()).toBe(1);
    expect(await texts("pool")).toEqual([]);
  });

  test("503 when the outcome of writing the tag is unknown, and the room is discarded", async () => {
    await gateway().poolRoom("a-room");
    gateway().stack.platform.addFault({ kind: "reset", method: "PATCH" });
    expect(await create({ uuiData: hex("8d1f") })).toMatchObject({ status: 503 });
    expect(await gateway().queues.pool.count()).toBe(0);
    expect(await texts("deletion")).toEqual(["a-room"]);
  });

  test("503 claim-failed after ten rooms that are all gone", async () => {
    for (let index = 0; index < 10; index++) await gateway().queues.pool.put(`vanished-${index}`);
    const answer = await create();
    expect(answer).toMatchObject({
      status: 503,
      code: "claim-failed",
      json: { detail: "Could not allocate a room; retry the request" },
    });
    expect(answer.headers.get("retry-after")).toBe("1");
    expect(gateway().log.join("\n")).toContain("claim-failed");
  });

  test("503 while the platform is down, and the room goes back to the pool at once", async () => {
    await gateway().poolRoom("a-room");
    await gateway().stack.platform.goDown("refuse");
    expect(await create()).toMatchObject({
      status: 503,
      code: "platform-unavailable",
      json: { detail: "The conferencing platform cannot be reached" },
    });
    expect(await texts("pool")).toEqual(["a-room"]);
  });

  test("503 storage-unavailable while the queues cannot be reached", async () => {
    const answer = await create({}, gateway().connect(storageDown(gateway().stack.settings)));
    expect(answer).toMatchObject({
      status: 503,
      code: "storage-unavailable",
      json: { detail: "The room queues cannot be reached" },
    });
    expect(answer.headers.get("retry-after")).toBe("5");
  });

  test("500 with a fixed text for an unexpected error", async () => {
    const needs = { ...gateway().dependencies(), claims: { claim: programmingError } };
    const answer = await create({}, needs);
    expect(answer).toMatchObject({
      status: 500,
      code: "unexpected",
      json: { detail: "Internal Server Error" },
    });
  });
}
