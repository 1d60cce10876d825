/** How the client fetches, caches and renews tokens. */
import { inspect } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { room, startScriptedGateway, thrownBy } from "../../test/support/scripted-gateway.ts";
import { identities } from "../../tools/simulators/identities.ts";
import { type Answer, startLoopbackServer } from "../../tools/simulators/loopback-server.ts";
import { createManualClock, settlePromises } from "../../tools/simulators/memory/clock.ts";
import { clientCredentials, type GetToken, NotAuthenticatedError } from "../src/index.ts";
import { createRuntime } from "../src/runtime.ts";
import { createTokenCache } from "../src/tokens.ts";

const ok: Answer = { status: 200, body: room };
const refused: Answer = { status: 401, body: { detail: "Not authenticated" } };
const { clientId, clientSecret } = identities;
const isDown = new Error("the issuer is down");

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
  const cache = createTokenCache(getToken, { ...createRuntime(), now: () => clock.now() });
  /** Gets a token that has to be requested, with this outcome of the request. */
  const fetched = async (outcome: string | Error, secondsUntilResponse = 0) => {
    const token = cache.get();
    clock.advance(secondsUntilResponse);
    pending.at(-1)?.(outcome);
    return token;
  };
  return { clock, pending, cache, fetched };
}

describe("The token cache", () => {
  test.each([
    [3599, 3299],
    [60, 30],
  ])("renews a token of %i seconds after %i, while callers keep using it", async (life, renewedAfter) => {
    const { cache, pending, clock, fetched } = createManualCache(life);
    await fetched("first");
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
    const { cache, pending, clock, fetched } = createManualCache(3599);
    await fetched("first");
    clock.advance(3598);
    expect(await cache.get()).toBe("first");
    pending[1]?.(isDown);
    await settlePromises();
    clock.advance(1);
    await expect(fetched(isDown)).rejects.toThrow(isDown);
    expect(await fetched("second")).toBe("second");
  });

  test("counts a token's life from its request, not from its arrival", async () => {
    const { clock, fetched } = createManualCache(100);
    await fetched("first", 60);
    clock.advance(40);
    expect(await fetched("second")).toBe("second");
  });

  test("requests one token for concurrent callers, of whom one may stop waiting, and keeps it", async () => {
    const { cache, pending } = createManualCache(3599);
    const aborter = new AbortController();
    const leaving = cache.get(aborter.signal);
    const staying = [cache.get(), cache.get()];
    aborter.abort(new Error("the caller hung up"));
    await expect(leaving).rejects.toThrow("the caller hung up");
    pending[0]?.("first");
    expect(await Promise.all([...staying, cache.get()])).toEqual(["first", "first", "first"]);
    expect(pending).toHaveLength(1);
  });
});

describe("A 401", () => {
  const usesFirst: Parameters<typeof startScriptedGateway>[0][number] = ({ headers }) =>
    headers.authorization === "Bearer token-1" ? refused : ok;

  test("of concurrent calls renews the token once and sends each again, which does not count as a retry", async () => {
    const gateway = await startScriptedGateway([usesFirst]);
    await Promise.all([1, 2, 3].map(async () => gateway.client.getRoom(room.name)));
    const sent = gateway.requests.map(({ headers }) => String(headers.authorization));
    expect(sent.toSorted()).toEqual([1, 1, 1, 2, 2, 2].map((number) => `Bearer token-${number}`));
    expect(gateway.waits).toEqual([]);
  });

  test("is an error if the new token is refused too, even after another failure in between", async () => {
    const gateway = await startScriptedGateway([refused, { status: 503 }, refused, ok]);
    await expect(gateway.client.getRoom(room.name)).rejects.toBeInstanceOf(NotAuthenticatedError);
    expect(gateway.requests).toHaveLength(3);
  });
});

test.each<[unknown, string]>([
  ["a-token", "string"],
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

describe("A token request", () => {
  test("that takes more than ten seconds is retried, and the final error has the idempotency key", async () => {
    const isAborted: boolean[] = [];
    const getToken: GetToken = async ({ signal }) => {
      isAborted.push(signal.aborted);
      return new Promise<never>(() => undefined);
    };
    const gateway = await startScriptedGateway([ok], { getToken });
    // Ten seconds are over at once; the longer timeouts of attempts never end.
    const timeout = (milliseconds: number): AbortSignal =>
      milliseconds === 10_000 ? AbortSignal.abort(new DOMException("over")) : new AbortController().signal;
    const call = gateway.clientWith({ timeout }).createRoom({ idempotencyKey: "key-1" });
    const told = { operation: "getToken", idempotencyKey: "key-1", attempts: 4 };
    await expect(call).rejects.toMatchObject({ name: "NoResponseError", ...told });
    expect(isAborted).toEqual([true, true, true, true]);
    expect(gateway.waits).toEqual([1, 2, 4]);
    expect(gateway.requests).toEqual([]);
  });

  test("that exceeds the call's timeout counts as no response", async () => {
    const gateway = await startScriptedGateway([ok], { getToken: async () => new Promise(() => undefined) });
    const call = gateway.client.getRoom("a", { timeoutSeconds: 0.05, correlationId: "c-1" });
    const told = { operation: "GET /room/a", correlationId: "c-1", cause: { name: "TimeoutError" } };
    expect(await thrownBy(call)).toMatchObject({ name: "NoResponseError", ...told });
    expect(gateway.requests).toEqual([]);
  });
});

describe("Client credentials", () => {
  const { signal } = new AbortController();

  /** An issuer with this response, and the requests that it has received. */
  async function startIssuer(answer: Answer) {
    const bodies: string[] = [];
    const issuer = await startLoopbackServer(({ body, headers }) => {
      bodies.push(`${headers["content-type"]} ${body.toString()}`);
      return answer;
    });
    onTestFinished(issuer.stop);
    return { tokenUrl: `${issuer.url}/token`, bodies };
  }

  test("send exactly the form that the specification names", async () => {
    const body = { access_token: "issued", expires_in: "3599" };
    const { tokenUrl, bodies } = await startIssuer({ status: 200, body });
    const credentials = { tokenUrl, clientId: "id", clientSecret: "s&t" };
    await clientCredentials(credentials)({ signal });
    const token = await clientCredentials({ ...credentials, scope: "own" })({ signal });
    expect(token.expiresInSeconds).toBe(3599);
    const form = "grant_type=client_credentials&client_id=id&client_secret=s%26t&scope";
    const type = "application/x-www-form-urlencoded;charset=UTF-8";
    expect(bodies).toEqual([`${type} ${form}=api%3A%2F%2Fid%2F.default`, `${type} ${form}=own`]);
  });

  const secretIsWrong = { error: "invalid_client", error_description: "AADSTS1: wrong secret\r\nTrace: 1" };
  test.each<[number, unknown, string, string]>([
    [401, secretIsWrong, "NotAuthenticatedError", "valid: AADSTS1: wrong secret (401)"],
    [400, { error: "invalid_scope" }, "NotAuthenticatedError", "valid: invalid_scope (400)"],
    [200, { access_token: "issued" }, "UnexpectedResponseError", "has no token (200)"],
    [200, { access_token: "issued", expires_in: 0 }, "UnexpectedResponseError", "(200)"],
    [200, undefined, "UnexpectedResponseError", "(200)"],
    [200, "<html>", "UnexpectedResponseError", "the response is not JSON (200)"],
  ])("turn %i with %j into a %s that names the URL and the reason", async (status, body, name, reason) => {
    const { tokenUrl } = await startIssuer({ status, body });
    const error = await thrownBy(clientCredentials({ tokenUrl, clientId, clientSecret })({ signal }));
    expect(error).toMatchObject({ name, message: expect.stringContaining(reason) });
    expect(String(error)).toContain(`POST ${tokenUrl}: `);
    expect(inspect(error)).not.toContain(clientSecret);
  });

  test.each([
    [{ tokenUrl: "http://login.example.com/token" }, "tokenUrl must begin with https://"],
    [{ clientId: undefined }, "clientId must be a string that is not empty"],
    [{ secret: "x" }, "secret is not an option; options are tokenUrl, clientId, clientSecret, scope, fetch"],
  ])("are refused at once with %j", (wrong, message) => {
    const credentials = { tokenUrl: "https://login.example.com", clientId, clientSecret, ...wrong };
    expect(() => clientCredentials(credentials as never)).toThrow(`clientCredentials: ${message}`);
  });
});
