/** Everything outside, made from settings: each kind of access asks its own authority, each queue has its own name. */
import { QueueServiceClient } from "@azure/storage-queue";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Azurite, startAzurite } from "../../../local/simulators/azurite.ts";
import { type ContactCentre, startContactCentre } from "../../../local/simulators/contact-centre.ts";
import { startTokenIssuer, type TokenIssuer } from "../../../local/simulators/identity/token-issuer.ts";
import { type LogWorkspace, startLogWorkspace } from "../../../local/simulators/log-workspace.ts";
import { startLoopbackServer } from "../../../local/simulators/loopback-server.ts";
import {
  type PlatformSimulator,
  startPlatformSimulator,
} from "../../../local/simulators/platform/platform-simulator.ts";
import { loadSettings } from "../../../src/lib/settings/settings.ts";
import { type Adapters, createAdapters, openQueues } from "../../../src/lib/wiring/adapters.ts";
import { exampleEnvironment } from "../../support/example-settings.ts";
import { createRecordingLog } from "../../support/recording-log.ts";

const clientId = "22222222-2222-4222-8222-222222222222";
const tenantId = "11111111-1111-4111-8111-111111111111";
const agent = {
  token: "agent-token",
  id: "44444444-4444-4444-8444-444444444444",
  name: "Test Agent",
  divisionId: "55555555-5555-4555-8555-555555555555",
  divisionName: "SBC",
  state: "active" as const,
};

let azurite: Azurite;
let platform: PlatformSimulator;
let issuer: TokenIssuer;
let centre: ContactCentre;
let workspace: LogWorkspace;
let adapters: Adapters;
beforeEach(async () => {
  azurite = await startAzurite();
  platform = await startPlatformSimulator({ username: "api-user", password: "platform-password-9f2c" });
  issuer = await startTokenIssuer({ tenantId, clients: [] });
  centre = await startContactCentre({ users: [agent] });
  workspace = await startLogWorkspace();
  adapters = createAdapters(
    loadSettings({
      ...exampleEnvironment,
      AzureWebJobsStorage: azurite.connectionString,
      PLATFORM_URL: platform.url,
      AUTH_AUTHORITY: issuer.url,
      CONTACT_CENTRE_API_URL: centre.url,
      EVENT_SINK_PREVIOUS_USERNAME: "old-sink",
      EVENT_SINK_PREVIOUS_PASSWORD: "old-password",
      LOGS_INGESTION_ENDPOINT: workspace.url,
      LOGS_INGESTION_RULE_ID: "dcr-1",
      LOGS_INGESTION_STREAM: "Custom-X",
    }),
  );
});
afterEach(async () => {
  await Promise.all([azurite, platform, issuer, centre, workspace].map(async (server) => server.stop()));
});

const check = async (access: keyof Adapters["accessChecks"], headers: Record<string, string>) =>
  adapters.accessChecks[access](new Headers(headers), createRecordingLog());
const basic = (pair: string) => `Basic ${Buffer.from(pair).toString("base64")}`;

// The limit is three seconds; what an event sink or a caller waits for must not last ten.
test("a queue that does not answer is given up while somebody still waits for it", {
  timeout: 10_000,
}, async () => {
  const silent = await startLoopbackServer(() => "silence");
  const key = Buffer.from("key").toString("base64");
  const account = `DefaultEndpointsProtocol=http;AccountName=test;AccountKey=${key}`;
  const queues = openQueues({ connectionString: `${account};QueueEndpoint=${silent.url}/test` });
  await expect(queues.deletion.put("room-a")).rejects.toMatchObject({ failure: "unknown" });
  await silent.stop();
});

describe("access", () => {
  test("of applications is by a bearer token of the tenant", async () => {
    await expect(
      check("application", { authorization: `Bearer ${issuer.issueToken(clientId)}` }),
    ).resolves.toBeUndefined();
    await expect(check("application", { "x-auth-token": agent.token })).rejects.toMatchObject({
      status: 401,
    });
  });

  test("of agents is by the contact centre's token in x-auth-token, and not by a bearer token", async () => {
    await expect(check("agent", { "x-auth-token": agent.token })).resolves.toBeUndefined();
    const bearer = { authorization: `Bearer ${issuer.issueToken(clientId)}` };
    await expect(check("agent", bearer)).rejects.toMatchObject({ status: 401 });
  });

  test("of the event sink is by either pair of credentials", async () => {
    for (const pair of ["sink:sink-password-7d1e", "old-sink:old-password"]) {
      await expect(check("event-sink", { authorization: basic(pair) })).resolves.toBeUndefined();
    }
    await expect(check("event-sink", { authorization: basic("sink:old-password") })).rejects.toMatchObject({
      status: 401,
    });
  });

  test("of anyone asks for nothing", async () => {
    await expect(check("anyone", {})).resolves.toBeUndefined();
  });
});

test("the platform is called with the settings' log-in", async () => {
  const call = { method: "GET" as const, path: "/api/admin/configuration/v1/conference/" };
  await expect(adapters.platformClient.call(call)).resolves.toMatchObject({ body: { objects: [] } });
});

test("the four queues are four", async () => {
  const { pool, deletion, provisioning, poison } = adapters.queues;
  const queues = [pool, deletion, provisioning, poison];
  for (const [index, queue] of queues.entries()) await queue.put(`text-${index}`);
  const received = await Promise.all(queues.map(async (queue) => queue.receive(32, 60)));
  expect(received.map((messages) => messages.map(({ text }) => text))).toEqual([
    ["text-0"],
    ["text-1"],
    ["text-2"],
    ["text-3"],
  ]);
});

test.each([
  ["pool", "room-creation-queue", "text-x"],
  ["deletion", "room-deletion-queue", "text-x"],
  ["provisioning", "room-provisioning-queue", "dGV4dC14"],
  ["poison", "room-provisioning-queue-poison", "dGV4dC14"],
] as const)(
  "the %s queue is %s, in the encoding in which the host and operators read it",
  async (key, name, stored) => {
    await adapters.queues[key].put("text-x");
    const account = QueueServiceClient.fromConnectionString(azurite.connectionString);
    const { peekedMessageItems } = await account.getQueueClient(name).peekMessages();
    expect(peekedMessageItems.map(({ messageText }) => messageText)).toEqual([stored]);
  },
);

test("nothing outside is called before somebody needs it", () => {
  expect([platform.requests().total, centre.callCount(), workspace.rows().length]).toEqual([0, 0, 0]);
  expect(issuer.fetchCounts()).toEqual({ metadata: 0, keys: 0, tokens: 0 });
});

test("ids and random octets differ from each other", () => {
  expect(adapters.newId()).not.toBe(adapters.newId());
  expect(adapters.random.bytes(16)).not.toEqual(adapters.random.bytes(16));
});
