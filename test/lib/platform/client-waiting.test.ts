/** Calls that wait for a slot. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { type LoopbackServer, startLoopbackServer } from "../../../local/simulators/loopback-server.ts";
import { createPlatformClient, type PlatformClient } from "../../../src/lib/platform/client.ts";
import { createBasicLogIn } from "../../../src/lib/platform/log-in.ts";
import { createManualClock, type ManualClock } from "../../support/manual-clock.ts";

const path = "/api/admin/configuration/v1/conference/";

let server: LoopbackServer;
let clock: ManualClock;
let client: PlatformClient;
let requests: number;
let isAtCeiling: boolean;
let release: () => void;
beforeEach(async () => {
  isAtCeiling = false;
  const { promise: isReleased, resolve } = Promise.withResolvers<void>();
  release = resolve;
  server = await startLoopbackServer(async () => {
    requests += 1;
    if (isAtCeiling) await isReleased;
    return { status: 200, body: {} };
  });
  clock = createManualClock();
  client = newClient(server.url);
  // Each successful call raises the limit, which begins at one.
  for (let calls = 0; calls < 8; calls++) await get();
  isAtCeiling = true;
  requests = 0;
});
afterEach(async () => server.stop());

function newClient(url: string): PlatformClient {
  const logIn = createBasicLogIn("api-user", "api-password");
  return createPlatformClient({ url, timeoutSeconds: 20, maxConcurrency: 4, logIn, clock });
}
const get = async () => client.call({ method: "GET", path });

/** Occupies all four slots until `release`. */
async function occupy(): Promise<Promise<unknown>[]> {
  const calls = Array.from({ length: 4 }, get);
  await expect.poll(() => requests, { interval: 2 }).toBe(4);
  return calls;
}

test("a call that waited 20 s for a slot is not sent; background calls keep waiting", async () => {
  const before = await occupy();
  const late = get().catch((error: unknown) => error);
  const inBackground = client.background.call({ method: "GET", path });
  clock.advance(20);
  release();

  expect(await late).toMatchObject({ outcome: "not-sent", code: "platform-timeout" });
  await expect(inBackground).resolves.toEqual({ body: {} });
  await Promise.all(before);
  expect(requests).toBe(5);
});

test("a call that waited less than 20 s is sent", async () => {
  const before = await occupy();
  const waiting = get();
  clock.advance(19.999);
  release();
  await expect(Promise.all([waiting, ...before])).resolves.toHaveLength(5);
});

test("a call's deadline replaces the 20 s", async () => {
  const before = await occupy();
  const waiting = client.call({ method: "GET", path, startBefore: clock.now() + 60_000 });
  clock.advance(59);
  release();
  await expect(Promise.all([waiting, ...before])).resolves.toHaveLength(5);
});

test("a call fails at once if 500 calls wait", async () => {
  const before = await occupy();
  const waiting = Array.from({ length: 500 }, get);
  await expect(get()).rejects.toMatchObject({
    outcome: "not-sent",
    code: "platform-unavailable",
    message: `GET ${path}: too many waiting calls`,
  });
  release();
  await expect(Promise.all([...waiting, ...before])).resolves.toHaveLength(504);
});

test("the error keeps the transport failure as its cause", async () => {
  await server.stop();
  await expect(newClient(server.url).call({ method: "GET", path })).rejects.toMatchObject({
    message: `GET ${path}: ECONNREFUSED`,
    cause: { code: "ECONNREFUSED" },
  });
  server = await startLoopbackServer(() => ({ status: 404 }));
});
