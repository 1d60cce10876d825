/**
 * One case per part of the shared pipeline, to show that a function has the part. test/lib tests what each part
 * does.
 */
import { expect, test } from "vitest";
import { forbiddenTokens, wrongTokens } from "./credentials.ts";
import { failure, invalidRequest } from "./failure-responses.ts";
import type { FunctionUnderTest } from "./in-process-gateway.ts";

const realm = 'Bearer realm="vmr-gateway"';

/** For functions with the access `application`. */
export function testBearerAccess({ gateway, definition, sent }: FunctionUnderTest): void {
  test("Returns 401 without a valid token and 403 for another client, before it looks at the rest", async () => {
    const query = { constrained_attributes: "?", max_vmr: "?", uuiData: "?" };
    const body = definition.method === "PATCH" ? { text: "not JSON" } : {};
    const callWith = async (makeToken: (typeof wrongTokens)[string] | undefined) =>
      gateway.callAsGiven(definition, {
        roomName: sent?.roomName ?? "",
        query,
        ...body,
        headers: makeToken ? { authorization: `Bearer ${makeToken(gateway.stack.issuer)}` } : {},
      });
    // The issuer is on this machine, so the caller is told the reason.
    const challenge = (error: string) => ({
      "www-authenticate": expect.stringMatching(
        new RegExp(`^${realm}, error="${error}", error_description="[^"]+"$`),
      ),
    });
    const [invalid, insufficient] = [challenge("invalid_token"), challenge("insufficient_scope")];
    expect(await callWith(undefined)).toMatchObject(
      failure("unauthenticated", { "www-authenticate": realm }),
    );
    expect(await callWith(wrongTokens["expired"])).toMatchObject(failure("unauthenticated", invalid));
    const ofAnotherClient = forbiddenTokens["of another client (v1)"];
    expect(await callWith(ofAnotherClient)).toMatchObject(failure("forbidden", insufficient));
  });
}

/** For functions that use the queues. */
export function testStorageUnavailable({ gateway, definition, sent }: FunctionUnderTest): void {
  test("Returns 503 storage-unavailable with Retry-After if the queues cannot be reached", async () => {
    const response = await gateway.call(definition, sent, gateway.connect(gateway.storageDown()));
    expect(response).toMatchObject(failure("storage-unavailable", { "retry-after": "5" }));
  });
}

/** For functions that call the platform. `prepare` sets up what they need to reach it. */
export function testPlatformUnavailable(
  { gateway, definition, sent }: FunctionUnderTest,
  prepare: () => Promise<unknown> = async () => undefined,
): void {
  test("Returns 503 platform-unavailable with Retry-After if the platform is down", async () => {
    await prepare();
    await gateway.stack.platform.goDown("refuse");
    const response = await gateway.call(definition, sent);
    expect(response).toMatchObject(failure("platform-unavailable"));
    expect(Number(response.headers["retry-after"])).toBeGreaterThan(0);
  });
}

/** For functions that return the room "a-room", alone or in a list. */
export function testConstrainedAttributes({ gateway, definition, sent }: FunctionUnderTest): void {
  test("Returns the shape that constrained_attributes selects, and 422 for an unknown word", async () => {
    gateway.addRoom("a-room");
    const call = async (constrained_attributes: string) =>
      gateway.call(definition, { ...sent, query: { constrained_attributes } });
    for (const [text, isFull] of [
      ["true", false],
      ["False", true],
      ["0", true],
    ] as const) {
      const { status, json } = await call(text);
      const rooms = [json as object | object[]].flat();
      expect([text, status, rooms.map((room) => "participant_limit" in room)]).toEqual([text, 200, [isFull]]);
    }
    const fault = { type: "bool_parsing", loc: ["query", "constrained_attributes"], input: "maybe" };
    expect(await call("maybe")).toMatchObject(invalidRequest(fault));
  });
}

export interface BodyLimits {
  /** The type of the fault for JSON that is not an object. */
  readonly notAnObject: "model_attributes_type" | "dict_type";
  readonly maxBytes: number;
}

/** For functions with a body. */
export function testBodyLimits(
  { gateway, definition, sent }: FunctionUnderTest,
  { notAnObject, maxBytes }: BodyLimits,
): void {
  const call = async (text: string | undefined, headers: Record<string, string> = {}) =>
    gateway.call(definition, {
      ...(sent?.roomName !== undefined && { roomName: sent.roomName }),
      ...(text !== undefined && { text }),
      headers: { "content-type": "application/json", ...headers },
    });

  test("Returns 422 for a missing body, for one that is not JSON, and for JSON that is not an object", async () => {
    expect(await call("")).toMatchObject(invalidRequest({ type: "missing" }));
    expect(await call("not JSON")).toMatchObject(invalidRequest({ type: "json_invalid" }));
    expect(await call("[]")).toMatchObject(invalidRequest({ type: notAnObject }));
  });

  test("Returns 411 length-required for a chunked body, which the host drops", async () => {
    expect(await call(undefined, { "transfer-encoding": "chunked" })).toMatchObject(
      failure("length-required"),
    );
  });

  test("Returns 413 body-too-large if the stated or the actual length exceeds the maximum", async () => {
    expect((await call("{}".padEnd(maxBytes))).status).not.toBe(413);
    const tooLarge = failure("body-too-large");
    expect(await call("{}", { "content-length": String(maxBytes + 1) })).toMatchObject(tooLarge);
    expect(await call(" ".repeat(maxBytes + 1), { "content-length": "2" })).toMatchObject(tooLarge);
  });
}
