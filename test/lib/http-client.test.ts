/** The HTTP client for outbound calls: what it does and never does. */
import { type Agent, createServer, type ServerResponse } from "node:http";
import { connect, type LookupFunction, Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { inspect } from "node:util";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createHttpClient, NoResponseError } from "../../src/lib/http-client.ts";
import { listen } from "../../tools/simulators/services/listen.ts";
import { useStartedPerTest } from "../support/use-started.ts";

describe("An HTTP client", () => {
  let respond: (response: ServerResponse) => void;
  let seen: { requests: number; opened: number };
  const server = useStartedPerTest(async () => {
    const counts = { requests: 0, opened: 0 };
    seen = counts;
    const listening = createServer({ keepAliveTimeout: 60_000 }, (_, response) => {
      counts.requests += 1;
      respond(response);
    });
    listening.on("connection", () => {
      counts.opened += 1;
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
    expect(seen).toEqual({ requests: 3, opened: 1 });
    expect(limits).toHaveBeenCalledWith(4000);
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
  let timeEnds: AbortController;
  test.each<[string, typeof respond, string, string]>([
    ["a reset", ({ socket }) => socket?.resetAndDestroy(), "ECONNRESET", "read ECONNRESET"],
    ["more than 64 MiB", (response) => response.end(tooMuch), "ERR_BAD_RESPONSE", "maxContentLength"],
    ["a cut", (response) => response.write("x", () => response.destroy()), "ERR_BAD_RESPONSE", "aborted"],
    [
      "a part of a response",
      (response) => response.write("x", () => timeEnds.abort()),
      "ETIMEDOUT",
      "in time",
    ],
  ])("throws after %s and says so, without the request in its error", async (_, ending, code, message) => {
    respond = ending;
    timeEnds = new AbortController();
    const error = await failureOf(server.url, timeEnds.signal);
    expect(error.code).toBe(code);
    expect(error.message).toContain(message);
    expect(inspect(error, { depth: 20, showHidden: true })).not.toMatch(/secret-/);
  });

  test("ends a connection that is not open after 5 s, and leaves no timer of one that is open or closed", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const request = (createConnection?: Agent["createConnection"]) =>
      createHttpClient(server.url, { createConnection }).get("/x/");
    respond = (response) => response.end();
    await request();
    await expect(request(() => new Socket().destroy(new Error("closed")))).rejects.toThrow("closed");
    await setImmediate();
    expect(vi.getTimerCount()).toBe(0);

    const hanging = request(() =>
      connect({ host: "platform.example.com", port: 1, lookup: () => undefined }),
    );
    const failure = hanging.catch((error: unknown) => error);
    await setImmediate();
    vi.advanceTimersByTime(4999);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(1);
    expect(vi.getTimerCount()).toBe(0);
    expect(await failure).toMatchObject({ code: "LOOKUP_TIMEOUT", isSent: false });
  });
});
