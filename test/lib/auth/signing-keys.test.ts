/** Signing keys during rotations, outages and floods of unknown key IDs. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  createSigningKeys,
  fetchPublishedKeys,
  type SigningKeys,
} from "../../../src/lib/auth/signing-keys.ts";
import { systemClock } from "../../../src/lib/ports.ts";
import { identities } from "../../../tools/simulators/identities.ts";
import { type Answer, startLoopbackServer } from "../../../tools/simulators/services/loopback-server.ts";
import { createSigningKey } from "../../../tools/simulators/services/token-issuer.ts";
import { createRecordingLog, type RecordingLog } from "../../support/recording-log.ts";
import { shortenTimeouts } from "../../support/shortened-timeouts.ts";
import { useStartedPerTest } from "../../support/use-started.ts";

const { tenantId } = identities;
const hour = 3600;
const v1 = `/eu/${tenantId}/.well-known/openid-configuration`;
const v2 = `/eu/${tenantId}/v2.0/.well-known/openid-configuration`;
const issuers = ["https://issuer.example.com/", "https://issuer.example.com/v2.0"] as const;
const details = { retryAfterSeconds: 10 };
const unavailable = { code: "identity-provider-unavailable", status: 503, details };

const advance = useMovableTime();
/** The responses of the provider by path, and the paths of the calls so far. */
let answers: Record<string, Answer>;
let paths: string[];
let isDown: boolean;
const provider = useStartedPerTest(async () => {
  [answers, paths, isDown] = [{}, [], false];
  return startLoopbackServer(({ url }) => {
    paths.push(url.pathname);
    return isDown ? "reset" : (answers[url.pathname] ?? { status: 404 });
  });
});
const publicJwk = createSigningKey().publicJwk;
const documentOf = (issuer: string, jwks_uri = `${provider.url}/keys`) => ({
  status: 200,
  body: { issuer, jwks_uri },
});
const publish = (...keyIds: string[]): void => {
  const keysOf = (ids: string[]) => ids.map((kid) => ({ ...publicJwk, kid }));
  answers = {
    [v1]: documentOf(issuers[0]),
    [v2]: documentOf(issuers[1], `${provider.url}/v2.0/keys`),
    "/keys": { status: 200, body: { keys: keysOf(["of version 1"]) } },
    "/v2.0/keys": { status: 200, body: { keys: keysOf(keyIds) } },
  };
};
const fetches = () => paths.filter((path) => path === v1).length;

let log: RecordingLog;
let keys: SigningKeys;
beforeEach(() => {
  log = createRecordingLog();
  publish("first");
  keys = createSigningKeys({ authority: `${provider.url}/eu`, tenantId }, systemClock);
});
const find = async (keyId = "first") => keys.find(keyId, log);
const isKnown = async (keyId?: string) => (await find(keyId)).publicKey !== undefined;

test("A prefetch reads each document once, and find returns every published key for an hour without a fetch", async () => {
  publish("first", "second", "third");
  await keys.prefetch();
  expect(paths.toSorted()).toEqual([v1, v2, "/keys", "/v2.0/keys"].toSorted());
  await advance(hour - 1);
  expect([await isKnown(), await isKnown("second"), fetches()]).toEqual([true, true, 1]);
  await advance(1);
  expect(await isKnown("third")).toBe(true);
  expect(fetches()).toBe(2);
});

test.each([
  ["after ten seconds", 1],
  ["if the clock is set back", -hour],
])(
  "A failed prefetch does not reject, the next caller logs it, and find fetches again %s",
  async (_, seconds) => {
    isDown = true;
    await keys.prefetch();
    isDown = false;
    await advance(9);
    await expect(find()).rejects.toMatchObject(unavailable);
    const line = { level: "error", event: "signing-keys-stale", fields: { ageSeconds: undefined } };
    expect(log.lines).toEqual([{ ...line, cause: expect.any(Error) }]);
    expect(fetches()).toBe(1);
    await advance(seconds);
    expect(await isKnown()).toBe(true);
  },
);

test("A known key that expires during a flood of unknown key IDs is found, and all share one fetch", async () => {
  publish(...Array.from({ length: 20 }, (_, index) => `other-${index}`), "first");
  await find();
  await advance(hour);
  const flood = Array.from({ length: 1000 }, async (_, index) => isKnown(`unknown-${index}`));
  const known = Array.from({ length: 20 }, async () => isKnown());
  expect(new Set(await Promise.all(known))).toEqual(new Set([true]));
  expect(new Set(await Promise.all(flood))).toEqual(new Set([false]));
  expect(fetches()).toBe(2);
});

test("A new key is known, and a withdrawn one unknown, ten seconds after the last fetch", async () => {
  await find();
  publish("second");
  expect(await find("second")).toEqual({ publicKey: undefined, issuers });
  await advance(10);
  expect(await isKnown("second")).toBe(true);
  expect(await isKnown()).toBe(false);
});

test("A known key works for 24 h of an outage, even while callers send unknown key IDs", async () => {
  await find();
  isDown = true;
  for (let hours = 1; hours < 24; hours++) {
    await advance(hour);
    const ids = Array.from({ length: 20 }, (_, index) => `unknown-${hours}-${index}`);
    const unknown = Promise.allSettled(ids.map(async (id) => find(id)));
    expect(await isKnown()).toBe(true);
    for (const result of await unknown)
      expect(result).toMatchObject({ status: "rejected", reason: unavailable });
    // The failure is remembered for ten seconds, so all these calls cause one fetch.
    expect(log.events()).toEqual(Array(hours).fill("signing-keys-stale"));
    const { ageSeconds } = log.lines.at(-1)?.fields ?? {};
    expect(Math.floor(Number(ageSeconds) / hour)).toBe(hours);
  }
  await advance(hour);
  await expect(find()).rejects.toMatchObject(unavailable);
  isDown = false;
  await advance(10);
  expect(await isKnown()).toBe(true);
});

test.each<[string, () => Record<string, Answer>]>([
  ["one document cannot be read", () => ({ [v2]: { status: 500 } })],
  ["the key set is empty", () => ({ "/keys": { status: 200, body: { keys: [] } } })],
  ["a document has an empty issuer", () => ({ [v1]: documentOf("") })],
])("`find` throws 503 if %s", async (_, failing) => {
  answers = { ...answers, ...failing() };
  await expect(find()).rejects.toMatchObject(unavailable);
});

test("The keys are fetched without the proxy that the environment names", async () => {
  for (const name of ["http_proxy", "HTTP_PROXY", "all_proxy"]) vi.stubEnv(name, "http://127.0.0.1:1");
  for (const name of ["no_proxy", "NO_PROXY"]) vi.stubEnv(name, "");
  expect(await isKnown()).toBe(true);
});

test("A malformed key in a set does not hide the others", async () => {
  const malformed = { kid: "broken", kty: "RSA" };
  answers["/keys"] = { status: 200, body: { keys: [malformed, { ...publicJwk, kid: "first" }] } };
  expect(await find("broken")).toEqual({ publicKey: undefined, issuers });
  expect(await isKnown()).toBe(true);
});

const notTrusted = { message: "the URL of the keys is not https" };
test.each([
  ["of another host over http", "http://127.0.0.1:1/", notTrusted],
  ["with a user name", "https://name@127.0.0.1:1/", notTrusted],
  ["with a password", "https://:word@127.0.0.1:1/", notTrusted],
  ["of another host over https", "https://127.0.0.1:1/", { code: "ECONNREFUSED" }],
])("`fetchPublishedKeys` calls a URL %s only if it is safe", async (_, jwks_uri, error) => {
  answers[v1] = documentOf("x", jwks_uri);
  const fetched = fetchPublishedKeys({ authority: `${provider.url}/eu`, tenantId });
  await expect(fetched).rejects.toMatchObject(error);
});

test.each(["/keys", v2])("`fetchPublishedKeys` rejects after 5 s if %s does not respond", async (path) => {
  answers[path] = "silence";
  const asked = shortenTimeouts();
  const fetched = fetchPublishedKeys({ authority: `${provider.url}/eu`, tenantId });
  await expect(fetched).rejects.toMatchObject({ name: "CanceledError" });
  // One limit for all documents and keys.
  expect(asked).toEqual([5000]);
});

/** Returns a function that moves the process's time until the test ends, for libraries that accept no clock. */
function useMovableTime(): (seconds: number) => Promise<void> {
  const [dateNow, performanceNow] = [Date.now.bind(Date), performance.now.bind(performance)];
  let movedMilliseconds = 0;
  beforeEach(() => {
    movedMilliseconds = 0;
    vi.spyOn(Date, "now").mockImplementation(() => dateNow() + movedMilliseconds);
    vi.spyOn(performance, "now").mockImplementation(() => performanceNow() + movedMilliseconds);
  });
  afterEach(() => vi.restoreAllMocks());
  return async (seconds) => {
    movedMilliseconds += seconds * 1000;
    // lru-cache reads the time once per millisecond and forgets it by a timer, which ends before this one.
    await new Promise((resolve) => void setTimeout(resolve, 2));
  };
}
