/** How the client fetches, caches and renews tokens. */
import { inspect } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { room, startScriptedGateway, thrownBy } from "../../test/support/scripted-gateway.ts";
import { identities, tenant } from "../../tools/simulators/identities.ts";
import { type Answer, startLoopbackServer } from "../../tools/simulators/loopback-server.ts";
import { createManualClock, settlePromises } from "../../tools/simulators/memory/clock.ts";
import { startTokenIssuer } from "../../tools/simulators/token-issuer.ts";
import { clientCredentials, type GetToken, NotAuthenticatedError } from "../src/index.ts";
import { createRuntime } from "../src/runtime.ts";
import { createTokenCache } from "../src/tokens.ts";
import { createWidgetClient } from "../src/widget.ts";

const ok: Answer = { status: 200, body: room };
const refused: Answer = { status: 401, body: { detail: "Not authenticated" } };
const { clientId, clientSecret } = identities;

/** A cache on a manual clock, of tokens that are requested only when the test resolves the request. */
function createManualCache(expiresInSeconds: number) {
  const clock = createManualClock();
  const pending: ((outcome: string | Error) => void)[] = [];
  const getToken: GetToken = async () =>
    new Promise((resolve, reject) => {
      pending.push((outcome) =>
        outcome instanceof Error ? reject(outcome) : resolve({ accessToken: outcome, expiresInSeconds }),
      );
    });
  return {
    clock,
    pending,
    cache: createTokenCache(getToken, { ...createRuntime(), now: () => clock.now() }),
  };
}

describe("The token cache", () => {
  test("requests one token for many concurrent callers, and keeps it", async () => {
    const { cache, pending } = createManualCache(3599);
    const callers = Array.from({ length: 20 }, async () => cache.get());
    pending[0]?.("first");
    expect(new Set(await Promise.all(callers))).toEqual(new Set(["first"]));
    expect(await cache.get()).toBe("first");
    expect(pending).toHaveLength(1);
  });

  test.each([
    [3599, 3299],
    [60, 30],
  ])("renews a token of %i seconds after %i, while callers keep using it", async (life, renewedAfter) => {
    const { cache, pending, clock } = createManualCache(life);
    const first = cache.get();
    pending[0]?.("first");
    await first;
    clock.advance(renewedAfter - 1);
    expect(await cache.get()).toBe("first");
    expect(pending).toHaveLength(1);
    clock.advance(1);
    expect(await Promise.all([cache.get(), cache.get()])).toEqual(["first", "first"]);
    expect(pending).toHaveLength(2);
    pending[1]?.("second");
    await settlePromises();
    expect(await cache.get()).toBe("second");
    expect(pending).toHaveLength(2);
  });

  test("keeps a valid token if its renewal fails, and fails only when it has expired", async () => {
    const { cache, pending, clock } = createManualCache(3599);
    const isDown = new Error("the issuer is down");
    const first = cache.get();
    pending[0]?.("first");
    await first;
    clock.advance(3598);
    expect(await cache.get()).toBe("first");
    pending[1]?.(isDown);
    await settlePromises();
    clock.advance(1);
    const failing = cache.get();
    pending[2]?.(isDown);
    await expect(failing).rejects.toThrow(isDown);
    const later = cache.get();
    pending[3]?.("second");
    expect(await later).toBe("second");
  });

  test("counts a token's life from its request, not from its arrival", async () => {
    const { cache, pending, clock } = createManualCache(100);
    const first = cache.get();
    clock.advance(60);
    pending[0]?.("first");
    await first;
    clock.advance(40);
    const later = cache.get();
    pending[1]?.("second");
    expect(await later).toBe("second");
  });

  test("lets one caller stop waiting without ending the request for the others", async () => {
    const { cache, pending } = createManualCache(3599);
    const aborter = new AbortController();
    const leaving = cache.get(aborter.signal);
    const staying = cache.get();
    aborter.abort(new Error("the caller hung up"));
    await expect(leaving).rejects.toThrow("the caller hung up");
    pending[0]?.("first");
    expect(await staying).toBe("first");
  });
});

describe("A 401", () => {
  test("renews the token once and repeats the call, which does not count as a retry", async () => {
    const gateway = await startScriptedGateway([refused, ok, ok]);
    await gateway.client.getRoom(room.name);
    await gateway.client.getRoom(room.name);
    const sent = gateway.requests.map(({ headers }) => headers.authorization);
    expect(sent).toEqual(["Bearer token-1", "Bearer token-2", "Bearer token-2"]);
    expect(gateway.waits).toEqual([]);
  });

  test("is an error if the new token is refused too, even after another failure in between", async () => {
    const gateway = await startScriptedGateway([refused, { status: 503 }, refused, ok]);
    await expect(gateway.client.getRoom(room.name)).rejects.toBeInstanceOf(NotAuthenticatedError);
    expect(gateway.requests).toHaveLength(3);
  });

  test("of many concurrent calls causes one token request", async () => {
    const gateway = await startScriptedGateway([
      ({ headers }) => (headers.authorization === "Bearer token-1" ? refused : ok),
    ]);
    await Promise.all(Array.from({ length: 10 }, async () => gateway.client.getRoom(room.name)));
    const sent = new Set(gateway.requests.map(({ headers }) => headers.authorization));
    expect(sent).toEqual(new Set(["Bearer token-1", "Bearer token-2"]));
  });

  test("causes no retry with an agent's token", async () => {
    const { url, requests } = await startScriptedGateway([refused]);
    const widget = createWidgetClient({ baseUrl: url, getToken: () => "agent" });
    await expect(widget.getRoom(room.name)).rejects.toBeInstanceOf(NotAuthenticatedError);
    expect(requests).toHaveLength(1);
  });
});

test.each<[unknown, string]>([
  ["a-token", "string"],
  [null, "null"],
  [{ accessToken: "a-token", expiresInSeconds: 0 }, "other values"],
  [{ accessToken: "", expiresInSeconds: 3599 }, "other values"],
  [{ access_token: "a-token", expires_in: 3599 }, "other values"],
])(
  "A getToken that returns %j is a TypeError without the token, and nothing is sent",
  async (token, found) => {
    const gateway = await startScriptedGateway([ok], { getToken: async () => token as never });
    const message = `getToken must return { accessToken, expiresInSeconds }; got ${found}`;
    expect(await thrownBy(gateway.client.createRoom())).toEqual(new TypeError(message));
    expect(gateway.requests).toEqual([]);
  },
);

test("A failing token request is retried like a failing gateway", async () => {
  const issuer = await startLoopbackServer(() => answers.shift() ?? "reset");
  onTestFinished(issuer.stop);
  const answers: Answer[] = [
    { status: 429, headers: { "retry-after": "3" } },
    "reset",
    { status: 200, body: { access_token: "issued", expires_in: 3599 } },
  ];
  const getToken = clientCredentials({ tokenUrl: `${issuer.url}/token`, clientId, clientSecret });
  const gateway = await startScriptedGateway([ok], { getToken });
  await gateway.client.getRoom(room.name);
  expect(gateway.waits).toEqual([3, 2]);
  expect(gateway.requests[0]?.headers.authorization).toBe("Bearer issued");
});

test("A token request that takes more than ten seconds is retried, and the final error has the idempotency key", async () => {
  const isAborted: boolean[] = [];
  const getToken: GetToken = async ({ signal }) => {
    isAborted.push(signal.aborted);
    return new Promise<never>(() => undefined);
  };
  const gateway = await startScriptedGateway([ok], { getToken });
  // Ten seconds are over at once; the longer timeouts of attempts never end.
  const timeout = (milliseconds: number): AbortSignal =>
    milliseconds === 10_000
      ? AbortSignal.abort(new DOMException("ten seconds are over", "TimeoutError"))
      : new AbortController().signal;
  const call = gateway.clientWith({ timeout }).createRoom({ idempotencyKey: "key-1" });
  const expected = { name: "NoResponseError", operation: "getToken", idempotencyKey: "key-1", attempts: 4 };
  await expect(call).rejects.toMatchObject(expected);
  expect(isAborted).toEqual([true, true, true, true]);
  expect(gateway.waits).toEqual([1, 2, 4]);
  expect(gateway.requests).toEqual([]);
});

test("A token request that exceeds the call's timeout counts as no response", async () => {
  const gateway = await startScriptedGateway([ok], { getToken: async () => new Promise(() => undefined) });
  const call = gateway.client.getRoom("a", { timeoutSeconds: 0.05, correlationId: "c-1" });
  const expected = { name: "NoResponseError", operation: "GET /room/a", correlationId: "c-1" };
  expect(await thrownBy(call)).toMatchObject({ ...expected, cause: { name: "TimeoutError" } });
  expect(gateway.requests).toEqual([]);
});

describe("Client credentials", () => {
  const { signal } = new AbortController();

  test("get a token of 3599 seconds from the identity provider", async () => {
    const issuer = await startTokenIssuer(tenant);
    onTestFinished(issuer.stop);
    const token = await clientCredentials({ tokenUrl: issuer.tokenUrl, clientId, clientSecret })({ signal });
    expect(token).toEqual({ accessToken: expect.stringMatching(/^ey/), expiresInSeconds: 3599 });
  });

  test("send exactly the form that the specification names", async () => {
    const bodies: string[] = [];
    const issuer = await startLoopbackServer(({ body, headers }) => {
      bodies.push(`${headers["content-type"]} ${body.toString()}`);
      return { status: 200, body: { access_token: "issued", expires_in: "3599" } };
    });
    onTestFinished(issuer.stop);
    const credentials = { tokenUrl: issuer.url, clientId: "id", clientSecret: "s&t" };
    await clientCredentials(credentials)({ signal });
    const token = await clientCredentials({ ...credentials, scope: "own" })({ signal });
    expect(token.expiresInSeconds).toBe(3599);
    const form = "grant_type=client_credentials&client_id=id&client_secret=s%26t&scope";
    const type = "application/x-www-form-urlencoded;charset=UTF-8";
    expect(bodies).toEqual([`${type} ${form}=api%3A%2F%2Fid%2F.default`, `${type} ${form}=own`]);
  });

  const secretIsWrong = { error: "invalid_client", error_description: "AADSTS1: wrong secret\r\nTrace: 1" };
  test.each<[Answer, string, string]>([
    [{ status: 401, body: secretIsWrong }, "NotAuthenticatedError", "valid: AADSTS1: wrong secret (401)"],
    [
      { status: 400, body: { error: "invalid_scope" } },
      "NotAuthenticatedError",
      "valid: invalid_scope (400)",
    ],
    [
      { status: 401, body: { error: "x".repeat(301) } },
      "NotAuthenticatedError",
      `: ${"x".repeat(300)} (401)`,
    ],
    [{ status: 200, body: { access_token: "issued" } }, "UnexpectedResponseError", "has no token (200)"],
    [{ status: 200, body: { expires_in: 10 } }, "UnexpectedResponseError", "has no token (200)"],
    [{ status: 200, body: { access_token: "issued", expires_in: 0 } }, "UnexpectedResponseError", "(200)"],
    [{ status: 200 }, "UnexpectedResponseError", "(200)"],
    [{ status: 200, body: "<html>" }, "UnexpectedResponseError", "the response is not JSON (200)"],
  ])("turn the response %j into a %s that names the URL and the reason", async (answer, name, reason) => {
    const issuer = await startLoopbackServer(() => answer);
    onTestFinished(issuer.stop);
    const getToken = clientCredentials({ tokenUrl: `${issuer.url}/token`, clientId, clientSecret });
    const error = await thrownBy(getToken({ signal }));
    expect(error).toMatchObject({ name, message: expect.stringContaining(reason) });
    expect(String(error)).toContain(`POST ${issuer.url}/token: `);
    expect(inspect(error)).not.toContain(clientSecret);
  });

  test("name the innermost cause of a failed connection", async () => {
    const code = "ECONNREFUSED";
    const fetch = async () => {
      throw new TypeError("fetch failed", { cause: Object.assign(new Error("no"), { code }) });
    };
    const tokenUrl = "https://login.example.com";
    const refused = clientCredentials({ tokenUrl, clientId, clientSecret, fetch });
    await expect(refused({ signal })).rejects.toThrow(
      "the connection failed or timed out: ECONNREFUSED (no response)",
    );
  });

  test.each([
    [{ tokenUrl: undefined }, "tokenUrl must be an absolute URL; got undefined"],
    [{ tokenUrl: "http://login.example.com/token" }, "tokenUrl must begin with https://"],
    [{ clientId: undefined }, "clientId must be a string that is not empty"],
    [{ clientSecret: "" }, "clientSecret must be a string that is not empty"],
    [{ clientSecret: null }, "clientSecret must be a string that is not empty"],
    [{ secret: "x" }, "secret is not an option; options are tokenUrl, clientId, clientSecret, scope, fetch"],
  ])("are refused at once with %j", (wrong, message) => {
    const credentials = { tokenUrl: "https://login.example.com", clientId, clientSecret, ...wrong };
    expect(() => clientCredentials(credentials as never)).toThrow(`clientCredentials: ${message}`);
  });
});
