/** The HTTP client for outbound calls: what it does and never does. */
import { type Agent, createServer, type ServerResponse } from "node:http";
import { type LookupFunction, Socket } from "node:net";
import { inspect } from "node:util";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createHttpClient, NoResponseError } from "../../src/lib/http-client.ts";
import { listen } from "../../tools/simulators/services/listen.ts";
import { watchConnectLimits } from "../support/connect-limits.ts";
import { useStartedPerTest } from "../support/use-started.ts";

describe("An HTTP client", () => {
  let respond: (response: ServerResponse) => void;
  let seen: { requests: number; opened: number; closed: number };
  const server = useStartedPerTest(async () => {
    const counts = { requests: 0, opened: 0, closed: 0 };
    seen = counts;
    const listening = createServer({ keepAliveTimeout: 60_000 }, (_, response) => {
      counts.requests += 1;
      respond(response);
    });
    listening.on("connection", (socket) => {
      counts.opened += 1;
      socket.on("close", () => {
        counts.closed += 1;
      });
    });
    const stop = async () => {
      listening.closeAllConnections();
      listening.close();
    };
    return { url: await listen(listening), stop };
  });

  const secret = "Bearer secret-token";
  const failureOf = async (url: string, signal?: AbortSignal): Promise<NoResponseError> => {
    const options = { headers: { authorization: secret }, ...(signal && { signal }) };
    const error: unknown = await createHttpClient(url)
      .post("/x/?code=secret-code", { pin: "secret-pin" }, options)
      .catch((cause: unknown) => cause);
    if (!(error instanceof NoResponseError)) throw new Error("the request has not failed", { cause: error });
    return error;
  };

  test.each([204, 302, 500])("returns a %i of the server itself, whatever proxy is set", async (status) => {
    for (const name of ["http_proxy", "HTTP_PROXY", "all_proxy"]) vi.stubEnv(name, "http://127.0.0.1:1");
    for (const name of ["no_proxy", "NO_PROXY"]) vi.stubEnv(name, "");
    respond = (response) => response.writeHead(status, { location: "/elsewhere/" }).end();
    expect((await createHttpClient(server.url).get("/x/")).status).toBe(status);
    expect(seen.requests).toBe(1);
  });

  test("keeps a connection for consecutive requests, and closes it when it is idle for 4 s", async () => {
    const limits = vi.spyOn(Socket.prototype, "setTimeout");
    onTestFinished(() => limits.mockRestore());
    respond = (response) => response.end();
    const client = createHttpClient(server.url);
    for (let request = 0; request < 3; request++) await client.get("/x/");
    expect(seen).toEqual({ requests: 3, opened: 1, closed: 0 });
    const limited = limits.mock.calls.findIndex(([milliseconds]) => milliseconds === 4000);
    expect(limited).not.toBe(-1);
    const socket = limits.mock.contexts[limited];
    // As after 4 s without data.
    if (socket instanceof Socket) socket.emit("timeout");
    await expect.poll(() => seen.closed, { interval: 5 }).toBe(1);
  });

  test("uses no connection for longer than a minute, so that it follows a name to another address", async () => {
    const clock = vi.spyOn(performance, "now");
    onTestFinished(() => clock.mockRestore());
    respond = (response) => response.end();
    const client = createHttpClient(server.url);
    for (const seconds of [0, 59.9, 60, 61]) {
      clock.mockReturnValue(1000 * seconds);
      await client.get("/x/");
    }
    expect(seen).toMatchObject({ requests: 4, opened: 2 });
  });

  test("looks a name up once for all requests that wait for it", async () => {
    const lookups: Parameters<LookupFunction>[2][] = [];
    const lookup: LookupFunction = (_, __, callback) => void lookups.push(callback);
    respond = (response) => response.end();
    const client = createHttpClient(server.url.replace("127.0.0.1", "platform.example.com"), { lookup });
    // The third request of the second round needs a third connection.
    for (const round of [1, 2]) {
      const requests = Promise.all(Array.from({ length: round + 1 }, async () => client.get("/x/")));
      await expect.poll(() => lookups.length, { interval: 5 }).toBeGreaterThanOrEqual(round);
      for (const callback of lookups) callback(null, [{ address: "127.0.0.1", family: 4 }]);
      await requests;
      expect(lookups).toHaveLength(round);
    }
  });

  test("gives each address but the last the time in which a lost SYN is sent again", async () => {
    const createConnection = vi.fn<Agent["createConnection"]>(() => new Socket().destroy(new Error("lost")));
    const request = createHttpClient(server.url, { createConnection }).get("/x/");
    await expect(request).rejects.toThrow("lost");
    const options = createConnection.mock.calls[0]?.[0];
    expect(options).toMatchObject({ autoSelectFamilyAttemptTimeout: 1500 });
  });

  const tooMuch = Buffer.alloc(64 * 1024 * 1024 + 1);
  const timeout = { code: "ETIMEDOUT", message: "no response in time", cause: undefined };
  const reset = {
    code: "ECONNRESET",
    message: expect.stringMatching(/ECONNRESET|hang up/),
    cause: expect.any(Error),
  };
  test.each<[string, typeof respond, Partial<NoResponseError>, number]>([
    ["a reset", ({ socket }) => socket?.resetAndDestroy(), reset, 60_000],
    ["more than 64 MiB", (response) => response.end(tooMuch), { code: "ERR_BAD_RESPONSE" }, 60_000],
    ["silence", () => undefined, timeout, 30],
    ["a part of a response", (response) => response.write("x"), timeout, 30],
  ])("throws after %s, without the request in its error", async (_, ending, expected, milliseconds) => {
    respond = ending;
    const error = await failureOf(server.url, AbortSignal.timeout(milliseconds));
    expect(error).toMatchObject({ name: "NoResponseError", ...expected });
    const text = inspect(error, { depth: 20, showHidden: true });
    expect(text).toContain(error.code);
    expect(text).not.toMatch(/secret-/);
  });

  test("does not limit how long an open connection waits, and leaves no timer if it cannot connect", async () => {
    const limits = watchConnectLimits();
    respond = (response) => response.end();
    await createHttpClient(server.url).get("/x/");
    expect(limits()).toEqual([true]);
    await failureOf("http://127.0.0.1:1");
    await expect.poll(limits).toEqual([true, true]);
  });
});
