/**
 * The app's identity: all Azure clients of an instance use the identity that the settings name, and share its tokens.
 */
import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { createCredential } from "../../../src/lib/azure/credential.ts";
import { createAdapters } from "../../../src/lib/dependencies.ts";
import type { MetricsRow } from "../../../src/lib/metrics/measurement.ts";
import { loadSettings } from "../../../src/lib/settings/settings.ts";
import { type Answer, startLoopbackServer } from "../../../tools/simulators/services/loopback-server.ts";
import { exampleEnvironment } from "../../support/example-settings.ts";
import { shortenTimeouts } from "../../support/shortened-timeouts.ts";
import { useStarted } from "../../support/use-started.ts";

const clientId = "77777777-7777-4777-8777-777777777777";

let requests: URL[];
let answer: () => Answer | Promise<Answer>;
// One server for all tests, because the identity library reads its endpoint's URL once per process.
const server = useStarted(async () =>
  startLoopbackServer(async ({ url }) => {
    if (url.pathname !== "/token") return { status: 404 };
    requests.push(url);
    return answer();
  }),
);
beforeEach(() => {
  requests = [];
  // Refuses every token, so nothing else is called.
  answer = () => ({ status: 400, body: {} });
  // The URL at which a Functions app requests tokens.
  vi.stubEnv("IDENTITY_ENDPOINT", `${server.url}/token`);
  vi.stubEnv("IDENTITY_HEADER", "made-up");
});
afterEach(() => vi.unstubAllEnvs());

const managedIdentity = {
  AzureWebJobsStorage: undefined,
  AzureWebJobsStorage__accountName: "exampleaccount",
  AzureWebJobsStorage__credential: "managedidentity",
};

test.each([
  ["the user-assigned identity if the settings name one", clientId],
  ["the system-assigned identity if the settings name none", undefined],
])("The queues and the log workspace use %s", async (_, identityClientId) => {
  const settings = loadSettings({
    ...exampleEnvironment,
    ...managedIdentity,
    AzureWebJobsStorage__clientId: identityClientId,
    LOGS_INGESTION_ENDPOINT: "https://logs.example.com",
    LOGS_INGESTION_RULE_ID: "dcr-1",
    LOGS_INGESTION_STREAM: "Custom-X",
  });
  const { queues, metricsSink, tokenFailure } = createAdapters(settings);
  expect(tokenFailure()).toBeUndefined();
  const row: MetricsRow = Object.create(null);
  await expect(queues.pool.count()).rejects.toMatchObject({ failure: "unknown" });
  await expect(metricsSink(row)).rejects.toThrow("the log workspace did not accept the row");
  expect(tokenFailure()).toBeInstanceOf(Error);

  const tokenRequests = requests.map(({ searchParams }) => Object.fromEntries(searchParams));
  const resources = tokenRequests.map(({ resource }) => resource);
  expect(new Set(resources)).toEqual(new Set(["https://storage.azure.com", "https://monitor.azure.com"]));
  expect(new Set(tokenRequests.map(({ client_id }) => client_id))).toEqual(new Set([identityClientId]));
});

test("With a connection string, the identity is the one that the machine is signed in with", async () => {
  // Of the ways to sign in, only the environment is tried, which has no credentials.
  vi.stubEnv("AZURE_TOKEN_CREDENTIALS", "EnvironmentCredential");
  const credential = createCredential({ connectionString: "UseDevelopmentStorage=true" });
  const token = credential.getToken("https://monitor.azure.com/.default");
  await expect(token).rejects.toThrow("EnvironmentCredential");
});

test.each([
  ["once for a managed identity", managedIdentity, ["https://storage.azure.com"]],
  ["never for a connection string", {}, []],
])("Before the first call, the token for storage is requested %s", async (_, storage, resources) => {
  const settings = { ...exampleEnvironment, ...storage, AUTH_AUTHORITY: server.url };
  await createAdapters(loadSettings(settings)).prefetch();
  expect(requests.map(({ searchParams }) => searchParams.get("resource"))).toEqual(resources);
});

describe("A token", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
  afterEach(() => void vi.useRealTimers());
  const pass = (seconds: number) => void vi.setSystemTime(Date.now() + seconds * 1000);

  /** Returns a function that asks for the token of a resource of its own, because the library keeps all tokens. */
  function openIdentity() {
    const url = "https://exampleaccount.queue.core.windows.net";
    const storage = { queueServiceUrl: url, blobServiceUrl: url, usesManagedIdentity: true };
    const credential = createCredential({ ...storage, identityClientId: undefined });
    const scope = `https://${randomUUID()}.example.com/.default`;
    const getToken = async () => {
      const given = await credential.getToken(scope);
      // Otherwise the SDK's clients would keep it.
      expect(given?.expiresOnTimestamp).toBe(0);
      return given?.token;
    };
    return { getToken, lastFailure: credential.lastFailure };
  }
  /** What the endpoint returns for its latest request. */
  const issued = (token: string, ending = "", hours = 24): Answer => ({
    status: 200,
    body: {
      access_token: token,
      expires_on: String(Math.floor(Date.now() / 1000) + hours * 3600),
      resource: `${requests.at(-1)?.searchParams.get("resource")}${ending}`,
      token_type: "Bearer",
    },
  });
  /** The shortened time may be too short for the token, too. */
  async function willBe(getToken: () => Promise<string | undefined>, token: string): Promise<void> {
    await expect.poll(async () => getToken().catch(() => undefined), { interval: 5 }).toBe(token);
  }
  const tooLate = "no token within 3 s";

  test.each(["", "/"])(
    "that comes after 5 s is served to the next calls, and requested once in 3 s (its resource ends in “%s”)",
    async (ending) => {
      shortenTimeouts(3000);
      const { promise, resolve } = Promise.withResolvers<Answer>();
      answer = async () => promise;
      const { getToken } = openIdentity();
      for (const [seconds, count] of [
        [0, 1],
        [2.9, 1],
        [0.1, 2],
        [1.9, 2],
      ] as const) {
        pass(seconds);
        await Promise.all([1, 2].map(async () => expect(getToken()).rejects.toThrow(tooLate)));
        await expect.poll(() => requests).toHaveLength(count);
      }
      pass(0.1);
      resolve(issued("token-1", ending));
      await willBe(getToken, "token-1");
      await willBe(getToken, "token-1");
      expect(requests).toHaveLength(2);
    },
  );

  test("that does not come is requested anew after the clock was set back", async () => {
    shortenTimeouts(3000);
    answer = () => "silence";
    const { getToken } = openIdentity();
    await expect(getToken()).rejects.toThrow(tooLate);
    answer = () => issued("token-1");
    pass(-3600);
    await willBe(getToken, "token-1");
  });

  test("whose request never ends fails after 6 s, before its replacement is replaced", async () => {
    shortenTimeouts(6000);
    answer = () => "silence";
    await expect(openIdentity().getToken()).rejects.toThrow("ManagedIdentityCredential");
  });

  test("that does not come within 3 s has the last failure as its cause, even if the endpoint returns 500", async () => {
    answer = () => ({ status: 500, body: {} });
    const { getToken, lastFailure } = openIdentity();
    await expect.poll(async () => getToken().catch(String)).toContain('no "expiresOn"');
    // Retried once: three retries would take longer than 3 s.
    expect(requests).toHaveLength(2);
    const cause = lastFailure();
    shortenTimeouts(3000);
    answer = () => "silence";
    await expect(getToken()).rejects.toThrow(expect.objectContaining({ message: tooLate, cause }));
  });

  test.each<[string, (() => Answer) | undefined, unknown]>([
    ["forgotten, if the request that replaced it has succeeded", () => issued("token-1"), undefined],
    ["known, if the request that replaced it hangs, too", undefined, expect.any(Error)],
  ])("whose request fails late leaves a failure that is %s", async (_, replacement, failure) => {
    // A busy computer takes its time.
    const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(new AbortController().signal);
    onTestFinished(() => timeout.mockRestore());
    const { promise, resolve } = Promise.withResolvers<Answer>();
    answer = async () => promise;
    const { getToken, lastFailure } = openIdentity();
    const late = getToken();
    await expect.poll(() => requests).toHaveLength(1);
    answer = replacement ?? (() => "silence");
    pass(3);
    const second = getToken().catch(() => undefined);
    await expect.poll(() => requests).toHaveLength(2);
    if (replacement) await second;
    resolve({ status: 400, body: {} });
    await expect(late).rejects.toThrow('no "expiresOn"');
    expect(lastFailure()).toEqual(failure);
  });

  test.each<[string, Answer, string, number]>([
    ["never ends", "silence", tooLate, 3],
    ["fails", { status: 400, body: {} }, 'no "expiresOn"', 0],
  ])(
    "is served until it has ended if its renewal %s, which is tried every 30 s",
    async (_, failure, text, seconds) => {
      shortenTimeouts(3000);
      // The library finds no token of such a resource in its cache.
      answer = () => issued("token-1", "/");
      const { getToken, lastFailure } = openIdentity();
      await willBe(getToken, "token-1");
      answer = () => failure;
      pass(12 * 3600 + 1);
      for (let count = 2; count <= 3; count++) {
        await willBe(getToken, "token-1");
        await willBe(getToken, "token-1");
        await expect.poll(() => requests).toHaveLength(count);
        pass(30);
      }
      pass(12 * 3600);
      // The shortened time may be too short for the failure, too.
      await expect.poll(async () => getToken().catch(String), { interval: 5 }).toContain(text);
      answer = () => issued("token-2", "/");
      pass(seconds);
      await willBe(getToken, "token-2");
      expect(lastFailure()).toBeUndefined();
    },
  );

  test.each([
    [24, 720, ""],
    [24, 720, "/"],
    [1, 55, "/"],
  ])(
    "of %i h is renewed from its minute %i, and served meanwhile (its resource ends in “%s”)",
    async (hours, minutes, ending) => {
      answer = () => issued("token-1", ending, hours);
      const { getToken } = openIdentity();
      await willBe(getToken, "token-1");
      answer = () => issued("token-2", ending);
      pass(minutes * 60 - 1);
      expect(await getToken()).toBe("token-1");
      expect(requests).toHaveLength(1);
      pass(2);
      expect(await getToken()).toBe("token-1");
      await expect.poll(() => requests).toHaveLength(2);
      // MSAL returns the new token of its cache only to the request after the one that has fetched it.
      await expect.poll(async () => (pass(30), getToken()), { interval: 5 }).toBe("token-2");
    },
  );
});
