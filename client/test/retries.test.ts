/** When the client retries, how long it waits, and when it gives up. */
import { getEventListeners } from "node:events";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { room, startScriptedGateway, thrownBy } from "../../test/support/scripted-gateway.ts";
import type { Answer } from "../../tools/simulators/loopback-server.ts";
import { type GatewayClient, UnavailableError } from "../src/index.ts";
import { createRuntime } from "../src/runtime.ts";
import { retryDelaySeconds } from "../src/send.ts";

const ok: Answer = { status: 200, body: room };
const after = (status: number, retryAfter: string): Answer => ({
  status,
  headers: { "retry-after": retryAfter },
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

describe("The client gives up", () => {
  test("before a wait that would end after the call's timeout", async () => {
    const gateway = await startScriptedGateway([after(429, "4")]);
    const error = await thrownBy(gateway.client.getRoom(room.name, { timeoutSeconds: 10 }));
    expect(error).toMatchObject({ name: "RateLimitedError", attempts: 3 });
    expect(gateway.waits).toEqual([4, 4]);
  });

  test("when no response arrives within the call's timeout", async () => {
    const gateway = await startScriptedGateway(["silence"]);
    const error = await thrownBy(gateway.client.getRoom(room.name, { timeoutSeconds: 0.05 }));
    expect(error).toMatchObject({ name: "NoResponseError", cause: { name: "TimeoutError" } });
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
    const gateway = await startScriptedGateway([after(503, "60")]);
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

test("A random part of up to a quarter is added to each wait", () => {
  const error = new UnavailableError({ operation: "GET /room/list", retryAfterSeconds: 8 });
  expect([0, 0.5, 1].map((random) => retryDelaySeconds(error, 0, random))).toEqual([8, 9, 10]);
});

test("A hook is told of a retry before the wait, so that a log shows why a call takes long", async () => {
  const steps: string[] = [];
  const hooks = { onRetry: () => void steps.push("told") };
  const { clientWith } = await startScriptedGateway([{ status: 503 }, ok], { hooks });
  await clientWith({ wait: async () => void steps.push("waited") }).getRoom(room.name);
  expect(steps).toEqual(["told", "waited"]);
});

test("Each attempt has a timeout of its own", async () => {
  const { clientWith } = await startScriptedGateway(["silence", ok]);
  let limits = 0;
  const timeout = () => AbortSignal.timeout(++limits === 1 ? 50 : 60_000);
  await expect(clientWith({ timeout }).getRoom(room.name)).resolves.toMatchObject({ name: room.name });
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

  test("ends a wait of the real runtime before its time, and leaves no timer", async () => {
    const started = vi.spyOn(globalThis, "setTimeout");
    const ended = vi.spyOn(globalThis, "clearTimeout");
    onTestFinished(() => void vi.restoreAllMocks());
    const aborter = new AbortController();
    const waiting = createRuntime().wait(3_600_000, aborter.signal);
    aborter.abort(new Error("the caller hung up"));
    await expect(waiting).rejects.toThrow("the caller hung up");
    const timer = started.mock.results[started.mock.calls.findIndex(([, time]) => time === 3_600_000)]?.value;
    expect(timer).toBeDefined();
    expect(ended.mock.calls).toContainEqual([timer]);
  });

  test("has no listener after the call", async () => {
    const { signal } = new AbortController();
    const answers: Answer[] = [{ status: 401 }, after(503, "0"), ok];
    const { clientWith } = await startScriptedGateway(answers);
    await clientWith({ wait: createRuntime().wait }).getRoom(room.name, { signal });
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  test("that has aborted before the call prevents the request", async () => {
    const gateway = await startScriptedGateway([ok]);
    const signal = AbortSignal.abort(new Error("too late"));
    await expect(gateway.client.createRoom({ signal })).rejects.toThrow("too late");
    expect(gateway.requests).toEqual([]);
  });
});
