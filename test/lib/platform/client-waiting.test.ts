/** Calls that wait for a slot: not for ever and not too many. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { type LoopbackServer, startLoopbackServer } from "../../../local/simulators/loopback-server.ts";
import { createPlatformClient, type PlatformClient } from "../../../src/lib/platform/client.ts";
import { createBasicLogIn } from "../../../src/lib/platform/log-in.ts";
import { createManualClock, type ManualClock } from "../../support/manual-clock.ts";

const path = "/api/admin/configuration/v1/conference/";

let server: LoopbackServer;
let clock: ManualClock;
let client: PlatformClient;
let asked: number;
let release: () => void;
beforeEach(async () => {
  asked = 0;
  const { promise: isReleased, resolve } = Promise.withResolvers<void>();
  release = resolve;
  server = await startLoopbackServer(async () => {
    asked += 1;
    await isReleased;
    return { status: 200, body: {} };
  });
  clock = createManualClock();
  client = newClient(server.url);
});
afterEach(async () => server.stop());

function newClient(url: string): PlatformClient {
  const logIn = createBasicLogIn("api-user", "api-password");
  return createPlatformClient({ url, timeoutSeconds: 20, maxConcurrency: 4, logIn, clock });
}
const get = async () => client.call({ method: "GET", path });

/** Takes all four slots until `release`. */
async function occupy(): Promise<Promise<unknown>[]> {
  const calls = Array.from({ length: 4 }, get);
  await expect.poll(() => asked, { interval: 2 }).toBe(4);
  return calls;
}

test("who waited 20 s for a slot is not sent any more, while the background waits on", async () => {
  const before = await occupy();
  const late = get().catch((error: unknown) => error);
  const patient = client.background.call({ method: "GET", path });
  clock.advance(20);
  release();

  expect(await late).toMatchObject({ outcome: "not-sent", code: "platform-timeout" });
  await expect(patient).resolves.toEqual({ body: {} });
  await Promise.all(before);
  expect(asked).toBe(5);
});

test("who waited less is sent", async () => {
  const before = await occupy();
  const waiting = get();
  clock.advance(19.999);
  release();
  await expect(Promise.all([waiting, ...before])).resolves.toHaveLength(5);
});

test("a deadline of its own takes the place of the 20 s", async () => {
  const before = await occupy();
  const waiting = client.call({ method: "GET", path, startBefore: clock.now() + 60_000 });
  clock.advance(59);
  release();
  await expect(Promise.all([waiting, ...before])).resolves.toHaveLength(5);
});

test("when 500 calls wait, a further one is turned away at once", async () => {
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

test("what happened on the way is kept as the failure's cause, for the log", async () => {
  await server.stop();
  await expect(get()).rejects.toMatchObject({
    message: `GET ${path}: ECONNREFUSED`,
    cause: { code: "ECONNREFUSED" },
  });
  server = await startLoopbackServer(() => ({ status: 404 }));
});
