/** Outbound calls: how each invocation counts its own, and what an HTTP client does and never does. */
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { inspect } from "node:util";
import PQueue from "p-queue";
import { afterEach, describe, expect, test, vi } from "vitest";
import {
  countCall,
  createHttpClient,
  createOutboundCalls,
  NoResponseError,
  withOutboundCalls,
} from "../../src/lib/outbound-calls.ts";
import { transportFailure } from "../../src/lib/platform/errors.ts";
import { type Answer, startLoopbackServer } from "../../tools/local/simulators/loopback-server.ts";
import { useStartedPerTest } from "../support/use-started.ts";

const call = async () => {
  await new Promise(setImmediate);
  return "response";
};

test("calls are counted for the dependency that they go to", async () => {
  const totals = createOutboundCalls();
  const response = await withOutboundCalls(totals, async () => {
    await Promise.all([countCall("platform", call), countCall("platform", call)]);
    return countCall("storage", call);
  });
  expect(response).toBe("response");
  expect([totals.platform.calls, totals.storage.calls]).toEqual([2, 1]);
});

test("a call that fails is counted, and its error is thrown", async () => {
  const totals = createOutboundCalls();
  const failure = new Error("reset");
  const failing = withOutboundCalls(totals, async () =>
    countCall("platform", async () => {
      throw failure;
    }),
  );
  await expect(failing).rejects.toBe(failure);
  expect(totals.platform.calls).toBe(1);
});

test("a call outside an invocation is made and not counted", async () => {
  expect(await countCall("storage", call)).toBe("response");
});

test("a call that waits in a shared queue is counted for the invocation that made it", async () => {
  const queue = new PQueue({ concurrency: 1 });
  const invoke = async (calls: number) => {
    const totals = createOutboundCalls();
    await withOutboundCalls(totals, async () => {
      const task = async () => countCall("platform", call);
      await Promise.all(Array.from({ length: calls }, async () => queue.add(task)));
    });
    return totals.platform.calls;
  };
  expect(await Promise.all([invoke(1), invoke(3), invoke(2)])).toEqual([1, 3, 2]);
});

describe("An HTTP client", () => {
  let answer: Answer;
  let requests: number;
  const server = useStartedPerTest(async () => {
    requests = 0;
    return startLoopbackServer(() => {
      requests += 1;
      return answer;
    });
  });
  afterEach(() => void vi.unstubAllEnvs());

  const secret = "Bearer secret-token";
  const failureOf = async (url: string, signal?: AbortSignal): Promise<NoResponseError> => {
    const options = { headers: { authorization: secret }, ...(signal && { signal }) };
    const error: unknown = await createHttpClient(url)
      .post("/x/?code=secret-code", { pin: "secret-pin" }, options)
      .catch((cause: unknown) => cause);
    if (!(error instanceof NoResponseError)) throw new Error("the request has not failed", { cause: error });
    return error;
  };

  test.each([204, 302, 401, 404, 500])("returns a response with status %i", async (status) => {
    answer = { status, headers: { location: `${server.url}/elsewhere/` } };
    expect((await createHttpClient(server.url).get("/x/")).status).toBe(status);
    expect(requests).toBe(1);
  });

  test("refuses a response of more than 64 MiB", async () => {
    answer = { status: 200, body: Buffer.alloc(64 * 1024 * 1024 + 1) };
    expect(await failureOf(server.url)).toMatchObject({ code: "ERR_BAD_RESPONSE" });
  });

  test.each<[string, Answer, string]>([
    ["a reset", "reset", "ECONNRESET"],
    ["silence", "silence", "ETIMEDOUT"],
  ])("throws after %s, without the request in its error", async (_, ending, code) => {
    answer = ending;
    const error = await failureOf(server.url, AbortSignal.timeout(300));
    expect(error.code).toBe(code);
    const text = inspect(error, { depth: 20, showHidden: true });
    expect(text).toContain(code);
    expect(text).not.toMatch(/secret-/);
  });

  test("says that a connection did not open in time, TLS included", async () => {
    const accepted: Socket[] = [];
    // It accepts connections, and never begins TLS.
    const silent = createServer((socket) => void accepted.push(socket)).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const address = silent.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const realSetTimeout = setTimeout;
    const timers = vi.spyOn(globalThis, "setTimeout");
    timers.mockImplementation((then, milliseconds) =>
      realSetTimeout(then, milliseconds === 5000 ? 50 : milliseconds),
    );
    const error = await failureOf(`https://127.0.0.1:${port}`, AbortSignal.timeout(60_000));
    timers.mockRestore();
    for (const socket of accepted) socket.destroy();
    silent.close();
    expect(error.code).toBe("CONNECT_TIMEOUT");
    expect(transportFailure({ method: "POST", path: "/x/" }, error)).toMatchObject({
      outcome: "not-sent",
      code: "platform-timeout",
    });
  });

  test("does not limit how long an open connection waits for its response", async () => {
    const runningTimers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = runningTimers();
    answer = { status: 200 };
    await createHttpClient(server.url).get("/x/");
    // The timer of the limit has ended with the opening of the connection.
    expect(runningTimers()).toBe(before);
  });
});
