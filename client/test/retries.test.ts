/** What the retries of a call have in common, how long a call takes at most, and how its caller ends it. */
import { getEventListeners } from "node:events";
import { expect, onTestFinished, test, vi } from "vitest";
import { room, startScriptedGateway, thrownBy } from "../../test/support/scripted-gateway.ts";
import type { Answer } from "../../tools/simulators/loopback-server.ts";
import { type GatewayClient, UnavailableError } from "../src/index.ts";
import { createRuntime } from "../src/runtime.ts";

const ok: Answer = { status: 200, body: room };
const after = (status: number, retryAfter: string): Answer => ({
  status,
  headers: { "retry-after": retryAfter },
});

test("Every attempt of a create has the same key, tag and correlation ID, and another create another key", async () => {
  const gateway = await startScriptedGateway(["reset", { status: 503 }, after(404, "1"), ok]);
  await gateway.client.createRoom({ serviceTag: room.tag });
  const sent = gateway.requests.map(({ method, url, headers }) => [
    `${method} ${url.pathname}${url.search}`,
    headers["idempotency-key"],
    headers["x-correlation-id"],
  ]);
  const uuid = expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
  const query = `uuiData=${Buffer.from(room.tag).toString("hex")}%3Bencoding%3Dhex`;
  expect(sent[0]).toEqual([`POST /room/create?${query}`, uuid, uuid]);
  expect(sent).toEqual(Array.from({ length: 4 }, () => sent[0]));
  await gateway.client.createRoom();
  expect(gateway.requests.at(-1)?.headers["idempotency-key"]).not.toBe(sent[0]?.[1]);
});

test("The client gives up before a wait that would end after the call's timeout", async () => {
  const gateway = await startScriptedGateway([after(429, "4")]);
  const error = await thrownBy(gateway.client.getRoom(room.name, { timeoutSeconds: 10 }));
  expect(error).toMatchObject({ name: "RateLimitedError", attempts: 3 });
  expect(gateway.waits).toEqual([4, 4]);
});

test.each<[string, number, number[], (client: GatewayClient) => Promise<unknown>]>([
  ["create", 30, [], async (client) => client.createRoom()],
  ["list", 70, [60, 60], async (client) => client.listRooms()],
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

test("Each attempt has a timeout of its own", async () => {
  const { clientWith } = await startScriptedGateway(["silence", ok]);
  let limits = 0;
  const timeout = () => AbortSignal.timeout(++limits === 1 ? 50 : 60_000);
  await expect(clientWith({ timeout }).getRoom(room.name)).resolves.toMatchObject({ name: room.name });
});

test("A random part of up to a quarter is added to each wait, and a hook is told before the wait", async () => {
  const steps: unknown[] = [];
  const hooks = { onRetry: ({ waitSeconds }: { waitSeconds: number }) => void steps.push(waitSeconds) };
  const { clientWith } = await startScriptedGateway([after(503, "8"), ok], { hooks });
  const wait = async (milliseconds: number) => void steps.push(`waited ${milliseconds}`);
  await clientWith({ wait, random: () => 0.5 }).checkHealth();
  expect(steps).toEqual([9, "waited 9000"]);
});

test("A deletion whose response was lost succeeds if the room is gone afterwards", async () => {
  const gateway = await startScriptedGateway(["reset", { status: 404 }]);
  await expect(gateway.client.deleteRoom(room.name)).resolves.toBeUndefined();
});

test("An abort ends a request that waits for its response, and prevents later calls", async () => {
  const aborter = new AbortController();
  const { signal } = aborter;
  const gateway = await startScriptedGateway([
    () => {
      aborter.abort(new Error("the caller hung up"));
      return "silence";
    },
  ]);
  for (let call = 1; call <= 2; call += 1)
    await expect(gateway.client.createRoom({ signal })).rejects.toThrow("the caller hung up");
  expect(gateway.requests).toHaveLength(1);
});

test("An abort ends a wait of the real runtime before its time, and no wait leaves a timer or a listener", async () => {
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
  expect(getEventListeners(aborter.signal, "abort")).toEqual([]);
  const { signal } = new AbortController();
  await createRuntime().wait(1, signal);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});
