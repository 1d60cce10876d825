/** When the client retries, how long it waits, and when it gives up. */
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { countedTokens, room, startScriptedGateway } from "../../test/support/scripted-gateway.ts";
import type { Answer } from "../../tools/simulators/loopback-server.ts";
import {
  type GatewayClient,
  NoResponseError,
  PoolEmptyError,
  RateLimitedError,
  UnavailableError,
  UnexpectedResponseError,
} from "../src/index.ts";
import { createRuntime } from "../src/runtime.ts";
import { retryDelaySeconds } from "../src/send.ts";

const ok: Answer = { status: 200, body: room };
const after = (status: number, retryAfter: string): Answer => ({
  status,
  headers: { "retry-after": retryAfter },
});

test.each<[string, Answer, number[]]>([
  ["a 503 with seconds", after(503, "7"), [7]],
  ["a 503 with zero seconds", after(503, "0"), [0]],
  ["a 503 without Retry-After", { status: 503 }, [1]],
  ["a 503 with a Retry-After that is neither", after(503, "5x"), [1]],
  ["a 503 with a negative Retry-After", after(503, "-5"), [0]],
  ["a 504", { status: 504 }, [1]],
  ["a 429", after(429, "12"), [12]],
  ["an empty pool", after(404, "5"), [5]],
  ["a 500", { status: 500 }, [1]],
  ["a connection that is reset", "reset", [1]],
])("A create is retried after %s", async (_, failure, waits) => {
  const gateway = await startScriptedGateway([failure, ok]);
  expect(await gateway.client.createRoom()).toEqual(room);
  expect(gateway.waits).toEqual(waits);
  expect(gateway.requests).toHaveLength(2);
});

test("A date in Retry-After is obeyed, and one in the past causes a retry at once", async () => {
  const startsAt = Date.UTC(2026, 0, 15, 9);
  const date = (seconds: number) => new Date(startsAt + seconds * 1000).toUTCString();
  const gateway = await startScriptedGateway([after(503, date(8)), after(503, date(-60)), ok]);
  await gateway.client.createRoom();
  expect(gateway.waits).toEqual([8, 0]);
});

test("Every attempt of a create has the same key, tag and correlation ID", async () => {
  const gateway = await startScriptedGateway(["reset", { status: 503 }, after(404, "1"), ok]);
  await gateway.client.createRoom({ serviceTag: room.tag });
  const sent = gateway.requests.map(({ method, url, headers }) => [
    method,
    url.pathname + url.search,
    headers["idempotency-key"],
    headers["x-correlation-id"],
  ]);
  expect(sent).toHaveLength(4);
  expect(new Set(sent.map((parts) => parts.join())).size).toBe(1);
  const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
  expect(sent[0]).toEqual([
    "POST",
    `/room/create?uuiData=${Buffer.from(room.tag).toString("hex")}%3Bencoding%3Dhex`,
    expect.stringMatching(uuid),
    expect.stringMatching(uuid),
  ]);
});

test("Two creates have different keys, and a caller's own key is sent unchanged", async () => {
  const gateway = await startScriptedGateway([ok]);
  await gateway.client.createRoom();
  await gateway.client.createRoom();
  await gateway.client.createRoom({ idempotencyKey: "order-4711", correlationId: "order-4711.1" });
  const [first, second, third] = gateway.requests.map(({ headers }) => headers);
  expect(first?.["idempotency-key"]).not.toBe(second?.["idempotency-key"]);
  expect(third).toMatchObject({ "idempotency-key": "order-4711", "x-correlation-id": "order-4711.1" });
});

describe("The client gives up", () => {
  test.each<[string, Answer, new (...args: never[]) => Error, number]>([
    ["an unavailable gateway", { status: 503 }, UnavailableError, 4],
    ["no response", "reset", NoResponseError, 4],
    ["an empty pool", after(404, "1"), PoolEmptyError, 4],
    ["a 500", { status: 500 }, UnexpectedResponseError, 2],
    ["a 502", { status: 502 }, UnexpectedResponseError, 1],
    ["a redirect", { status: 302, headers: { location: "/elsewhere" } }, NoResponseError, 4],
    ["a 200 that is not JSON", { status: 200, body: "<html>" }, UnexpectedResponseError, 1],
  ])("after %s, and the error has the key and the number of attempts", async (_, failure, type, attempts) => {
    const gateway = await startScriptedGateway([failure]);
    const error = await gateway.client.createRoom({ idempotencyKey: "key-1" }).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject({ attempts, idempotencyKey: "key-1", operation: "POST /room/create" });
    expect(gateway.requests).toHaveLength(attempts);
  });

  test("at once if Retry-After is longer than it waits", async () => {
    const gateway = await startScriptedGateway([after(503, "300")]);
    await expect(gateway.client.deleteAllRooms()).rejects.toMatchObject({ retryAfterSeconds: 300 });
    expect(gateway.requests).toHaveLength(1);
  });

  test("before a wait that would end after the call's timeout", async () => {
    const gateway = await startScriptedGateway([after(429, "4")]);
    const failure = gateway.client.getRoom(room.name, { timeoutSeconds: 10 });
    await expect(failure).rejects.toBeInstanceOf(RateLimitedError);
    expect(gateway.waits).toEqual([4, 4]);
  });

  test("when no response arrives within the call's timeout", async () => {
    const gateway = await startScriptedGateway(["silence"]);
    const error = await gateway.client.getRoom(room.name, { timeoutSeconds: 0.05 }).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(NoResponseError);
    expect(error.cause).toMatchObject({ name: "TimeoutError" });
  });
});

test.each<[string, number, number[], (client: GatewayClient) => Promise<unknown>]>([
  ["create", 30, [], async (client) => client.createRoom()],
  ["read", 30, [], async (client) => client.getRoom(room.name)],
  ["list", 70, [60, 60], async (client) => client.listRooms()],
  ["list in the full shape", 70, [60, 60], async (client) => client.listFullRooms()],
  ["bulk delete", 200, [60, 60, 60], async (client) => client.deleteAllRooms()],
])(
  "An attempt of a %s takes at most %i seconds, and all attempts twice as long",
  async (_, seconds, waits, call) => {
    const asked: number[] = [];
    const gateway = await startScriptedGateway([after(503, "60")], {
      getToken: countedTokens(),
    });
    const timeout = (milliseconds: number) => {
      asked.push(milliseconds / 1000);
      return new AbortController().signal;
    };
    await expect(call(gateway.clientWith({ timeout }))).rejects.toThrow(UnavailableError);
    // The first timeout is the attempt's, the second one the token request's.
    expect(asked.slice(0, 2)).toEqual([seconds, 10]);
    expect(gateway.waits).toEqual(waits);
  },
);

test("The waits without Retry-After double, and a random part is added to each wait", async () => {
  const gateway = await startScriptedGateway([{ status: 503 }]);
  await expect(gateway.client.listRooms()).rejects.toThrow(UnavailableError);
  expect(gateway.waits).toEqual([1, 2, 4]);
  const error = new UnavailableError({ operation: "GET /room/list", retryAfterSeconds: 8 });
  expect([0, 0.5, 1].map((random) => retryDelaySeconds(error, 0, random))).toEqual([8, 9, 10]);
});

test("A deletion whose response was lost succeeds if the room is gone afterwards", async () => {
  const gateway = await startScriptedGateway(["reset", { status: 404 }]);
  await expect(gateway.client.deleteRoom(room.name)).resolves.toBeUndefined();
});

describe("An abort signal", () => {
  test("ends a request that is waiting for its response", async () => {
    const aborter = new AbortController();
    const gateway = await startScriptedGateway([
      () => {
        aborter.abort(new Error("the caller hung up"));
        return "silence";
      },
    ]);
    const call = gateway.client.createRoom({ signal: aborter.signal });
    await expect(call).rejects.toThrow("the caller hung up");
    expect(gateway.requests).toHaveLength(1);
  });

  test("ends a wait of the real runtime before its time", async () => {
    const aborter = new AbortController();
    const waiting = createRuntime().wait(3_600_000, aborter.signal);
    aborter.abort(new Error("the caller hung up"));
    await expect(waiting).rejects.toThrow("the caller hung up");
  });

  test("leaves no timer of the wait that it ends", async () => {
    const started = vi.spyOn(globalThis, "setTimeout");
    const ended = vi.spyOn(globalThis, "clearTimeout");
    onTestFinished(() => void vi.restoreAllMocks());
    const waiting = createRuntime().wait(3_600_000, AbortSignal.abort(new Error("too late")));
    await expect(waiting).rejects.toThrow("too late");
    const timer = started.mock.results[started.mock.calls.findIndex(([, time]) => time === 3_600_000)]?.value;
    expect(timer).toBeDefined();
    expect(ended.mock.calls).toContainEqual([timer]);
  });

  test("that has aborted before the call prevents the request", async () => {
    const gateway = await startScriptedGateway([ok]);
    const signal = AbortSignal.abort(new Error("too late"));
    await expect(gateway.client.createRoom({ signal })).rejects.toThrow("too late");
    expect(gateway.requests).toEqual([]);
  });
});
