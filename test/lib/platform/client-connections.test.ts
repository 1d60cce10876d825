/** Connections to the platform: kept between calls, given up when idle, and no way to hold a call for ever. */
import { once } from "node:events";
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { systemClock } from "../../../src/lib/clock.ts";
import { createPlatformClient } from "../../../src/lib/platform/client.ts";
import { createBasicLogIn } from "../../../src/lib/platform/log-in.ts";

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A server that keeps idle connections for a minute, and a client of it. */
async function start(handle: RequestListener) {
  const started = createServer({ keepAliveTimeout: 60_000 }, handle);
  server = started;
  const counts = { opened: 0, closed: 0 };
  started.on("connection", (socket) => {
    counts.opened += 1;
    socket.on("close", () => void (counts.closed += 1));
  });
  started.listen(0, "127.0.0.1");
  await once(started, "listening");
  const address = started.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const client = createPlatformClient({
    url: `http://127.0.0.1:${port}`,
    timeoutSeconds: 20,
    maxConcurrency: 4,
    logIn: createBasicLogIn("api-user", "api-password"),
    clock: systemClock,
  });
  return { client, counts };
}

test("calls one after the other use one connection, which is given up once it is idle", async () => {
  const { client, counts } = await start((_, response) => response.end("{}"));
  for (let count = 0; count < 5; count++) await client.call({ method: "GET", path: "/" });
  expect(counts).toEqual({ opened: 1, closed: 0 });
  // After 4 s, so that no call goes out on a connection that a server closes after its usual 5 s.
  await expect.poll(() => counts.closed, { timeout: 20_000 }).toBe(1);
});

test("a call asks for JSON", async () => {
  const { client } = await start(({ headers }, response) => {
    response.setHeader("content-type", "application/json").end(JSON.stringify(headers));
  });
  expect((await client.call({ method: "GET", path: "/" })).body).toMatchObject({
    accept: "application/json",
  });
});

test("an answer of several megabytes, as a page of many rooms is, is read whole", async () => {
  const text = "x".repeat(8 * 1024 * 1024);
  const { client } = await start((_, response) => response.end(JSON.stringify({ text })));
  expect((await client.call({ method: "GET", path: "/" })).body).toEqual({ text });
});

test("an answer that comes in drops is cut off at the time limit", async () => {
  const drip = async (response: ServerResponse) => {
    for (let count = 0; count < 100 && !response.destroyed; count++) {
      response.write(" ");
      await wait(50);
    }
    response.end("{}");
  };
  const { client } = await start((_, response) => void drip(response));
  await expect(client.call({ method: "GET", path: "/", timeoutSeconds: 0.3 })).rejects.toMatchObject({
    outcome: "unknown",
    code: "platform-timeout",
  });
});
