/** The gateways that commands find: a running one, locally and as a deployment. Azure's APIs are simulated. */
import { writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import jsonwebtoken from "jsonwebtoken";
import { beforeEach, expect, test } from "vitest";
import * as z from "zod";
import { exampleEnvironment } from "../../../test/support/example-settings.ts";
import { faultsOf } from "../../../test/support/kusto.ts";
import { useRunningGateway } from "../../../test/support/running-gateway.ts";
import { temporaryFolder } from "../../../test/support/script-process.ts";
import { useStarted } from "../../../test/support/use-started.ts";
import { connectionOf, writeConnection } from "../../simulators/connection.ts";
import { identities } from "../../simulators/identities.ts";
import { startLoopbackServer } from "../../simulators/loopback-server.ts";
import { apiManagementQuery, linesQuery, loadFailureQuery, metricsQuery } from "../gateway/azure-log.ts";
import { connect } from "../gateway/connect.ts";
import { fetchOperatorId } from "../gateway/deployment.ts";
import { connectLocally } from "../gateway/local.ts";
import { exitCodes } from "../outcomes.ts";
import { ops } from "./run-ops.ts";

const app = "func-example";
const subscription = "00000000-0000-4000-8000-000000000001";
const groupId = `/subscriptions/${subscription}/resourceGroups/rg-example`;
const appId = `${groupId}/providers/Microsoft.Web/sites/${app}`;
const workspaceId = `${groupId}/providers/Microsoft.OperationalInsights/workspaces/log-example`;

const site = {
  name: app,
  tags: { "vmr-gateway": "test", "vmr-gateway-health": "https://api.example.com/public/health" },
  properties: {
    defaultHostName: "func-example.example.com",
    lastModifiedTimeUtc: "2026-01-02T03:04:05.6789",
  },
};
const secrets = ["Resolved", "SecretNotFound", "Resolved"].map((status, index) => {
  return { name: `SECRET_${index}`, properties: { status } };
});

interface Azure {
  readonly status: number;
  readonly settings: Readonly<Record<string, string>>;
  readonly workspaces: readonly object[];
  /** The rows of each query of the log, the newest first. */
  readonly rows: Readonly<Record<string, readonly object[]>>;
}
let azure: Azure;
const initially: Azure = {
  status: 200,
  settings: {
    ...exampleEnvironment,
    ROOM_HOST_PIN: "@Microsoft.KeyVault(SecretUri=https://kv.example.com/secrets/ROOM-HOST-PIN)",
  },
  workspaces: [
    { id: "/other", tags: { "vmr-gateway": "other" } },
    { id: workspaceId, tags: { "vmr-gateway": "test" } },
  ],
  rows: {},
};
const returns = (changes: Partial<Azure>) => void (azure = { ...initially, ...changes });
beforeEach(() => returns({}));

const queryBody = z.object({ query: z.string(), timespan: z.string() });
const ofPeriod = (timespan: string, query: string) => `${timespan}: ${query}`;
/** A row of the log. */
const trace = (fields: object) => ({
  TimeGenerated: "2026-01-02T03:04:05Z",
  Message: JSON.stringify(fields),
});

function runQuery(body: Buffer): object {
  const { query, timespan } = queryBody.parse(JSON.parse(body.toString("utf8")));
  const found = azure.rows[ofPeriod(timespan, query)] ?? [];
  const columns = Object.keys(found[0] ?? {}).map((name) => ({ name }));
  return { tables: [{ columns, rows: found.map((row) => Object.values(row)) }] };
}

const server = useStarted(async () =>
  startLoopbackServer(({ method, url, body }) => {
    const bodies: Record<string, unknown> = {
      [`POST ${appId}/config/appsettings/list`]: { properties: azure.settings },
      [`GET ${appId}/config/configreferences/appsettings`]: { value: secrets },
      [`GET ${groupId}/providers/Microsoft.Web/sites`]: { value: [{ name: "func-other" }, site] },
      [`GET ${appId}`]: site,
      [`GET ${groupId}/providers/Microsoft.OperationalInsights/workspaces`]: { value: azure.workspaces },
    };
    if (url.pathname === `/v1${workspaceId}/query`) return { status: 200, body: runQuery(body) };
    const found = bodies[`${method} ${url.pathname}`];
    return { status: found ? azure.status : 404, body: found };
  }),
);

const names = {
  AZURE_SUBSCRIPTION_ID: subscription,
  AZURE_RESOURCE_GROUP: "rg-example",
  FUNCTION_APP_NAME: app,
};
const urls = () => ({ OPS_RESOURCE_MANAGER_URL: server.url, OPS_LOG_ANALYTICS_URL: server.url });
/** The operator's shell. */
const shell = (variables: Record<string, string> = {}) => ({ ...names, ...urls(), ...variables });
const logIn = {
  PLATFORM_USERNAME: identities.platformUsername,
  PLATFORM_PASSWORD: identities.platformPassword,
};

const running = useRunningGateway(() => ({
  POOL_READY_DELAY_SECONDS: "0",
  GC_MINIMUM_AGE_SECONDS: "0",
  MAX_VMR: "4",
}));
async function connectToRunning() {
  const file = join(await temporaryFolder(), "stack.json");
  writeConnection(connectionOf(running.stack, running.url, running.settings), file);
  return connectLocally(file);
}

test.each([
  {
    place: "the local gateway",
    connectTo: connectToRunning,
    header: /^the local gateway at http:\S+, started /,
  },
  {
    place: "a deployment",
    connectTo: connect,
    header: /^func-example, last changed 2026-01-02 03:04:05 UTC\. /,
  },
])(
  "On $place, commands fill the pool, list its rooms, make it smaller and show the status",
  async ({ connectTo, header }) => {
    returns({ settings: running.settings });
    const environment = shell({ ...logIn, HEALTH_URL: `${running.url}/public/health` });
    const run = async (command: string) => ops(command.split(" "), { environment, connect: connectTo });
    await running.empty();
    expect(await run("fill")).toMatchObject({ output: expect.stringMatching(/^4 rooms requested; /) });
    await expect.poll(async () => running.queues.provisioning.count()).toBe(0);
    expect((await run("rooms")).output.match(/ pooled /gm)).toHaveLength(4);
    expect((await run("shrink 1 --yes")).exitCode).toBe(0);
    expect(await running.queues.pool.count()).toBe(1);
    const { output } = await run("status");
    expect(output).toMatch(header);
    expect(output).toContain("1 pooled, 3 assigned (3 of them taken out of the pool and waiting");
    for (const secret of [identities.platformPassword, identities.hostPin, identities.sinkPassword])
      expect(output).not.toContain(secret);
  },
);

test("The log is read for as long as asked, and the secrets are named that the app cannot read", async () => {
  const query = linesQuery(app, { hours: 5, room: "room-1" });
  expect(query).toMatch(/^\| where AppRoleName =~ "func-example"$/m);
  expect(query).toMatch(/^\| where tostring\(entry\.room\) in \("room-1"\)$/m);
  const rows = {
    [ofPeriod("PT300M", query)]: [trace({ event: "newer" }), trace({ event: "older" })],
    [ofPeriod("PT1440M", metricsQuery(app))]: [{ PoolDepth: 3 }],
    [ofPeriod("PT60M", loadFailureQuery(app))]: [{ reason: "Invalid settings: ROOM_HOST_PIN: too short" }],
  };
  returns({ rows });
  const { log, unresolvedSecrets } = await connect({}, shell());
  expect(await log.newestMetrics()).toEqual({ PoolDepth: 3 });
  expect(await log.loadFailure()).toBe("Invalid settings: ROOM_HOST_PIN: too short");
  const lines = await log.lines({ hours: 5, room: "room-1" });
  expect(lines.map(({ fields }) => fields["event"])).toEqual(["older", "newer"]);
  expect(await unresolvedSecrets()).toEqual(["SECRET_1"]);
});

test("Judges by the limits of the deployment's alerts, and without them by the defaults", async () => {
  expect((await connect({}, shell())).limits).toEqual({ silentRooms: 20, deletionSeconds: 3600 });
  const ALERT_LIMITS = '{"server-errors":0,"event-sink-silent":50,"deletion-queue-old":7200}';
  returns({ settings: { ...initially.settings, ALERT_LIMITS } });
  expect((await connect({}, shell())).limits).toEqual({ silentRooms: 50, deletionSeconds: 7200 });
});

test("Takes the only workspace of a resource group, even without the tag of the environment", async () => {
  const untagged = { id: workspaceId };
  const ofAnother = { id: "/other", tags: { "vmr-gateway": "other" } };
  returns({ workspaces: [untagged] });
  expect(await (await connect({}, shell())).log.lines({ hours: 1 })).toEqual([]);
  for (const workspaces of [[], [ofAnother, untagged]]) {
    returns({ workspaces });
    await expect(connect({}, shell())).rejects.toThrow("must have exactly one log workspace");
  }
});

const directUrl = "https://func-example.example.com/public/health";
const refused = { time: "2026-01-02T03:04:05Z", status: 401, reason: "TokenAudienceNotAllowed" };
test.each([
  { title: "are those of its log", calls: Array(3).fill(refused), amount: 3 },
  { title: "are none if it refused none", calls: [{ ...refused, status: null }], amount: 0 },
  { title: "are not known without its log", calls: [], amount: undefined },
  { title: "are none if calls do not pass it", calls: [], variables: { HEALTH_URL: directUrl }, amount: 0 },
])("The creates that API Management refuses $title", async ({ calls, variables, amount }) => {
  returns({ rows: { [ofPeriod("PT1440M", apiManagementQuery("vmr-gateway-test"))]: calls } });
  const lines = await (await connect({}, shell(variables))).log.refusedByApiManagement();
  expect(lines?.length).toBe(amount);
  for (const { fields } of lines ?? []) expect(fields).toMatchObject({ function: "createRoom", status: 401 });
});

test("Takes the names of the resources from the values of an environment, whatever the shell says", async () => {
  const folder = await temporaryFolder();
  const values = `AZURE_SUBSCRIPTION_ID=${subscription}\nAZURE_RESOURCE_GROUP='rg-example'\nAZURE_ENV_NAME=`;
  for (const name of ["test", "other"]) await writeFile(join(folder, `${name}.env`), `${values}${name}\n`);
  await writeFile(join(folder, "elsewhere.env"), `${values}test\nEXISTING_WORKSPACE_ID=/elsewhere\n`);
  const environments = relative(join("infra", "environments"), folder);
  const ofAnother = { FUNCTION_APP_NAME: "func-other", AZURE_RESOURCE_GROUP: "rg-other" };
  const further = { AZURE_SUBSCRIPTION_ID: "other", LOG_WORKSPACE_ID: "/other", HEALTH_URL: directUrl };
  const environment = shell({ ...ofAnother, ...further });
  const target = await connect({ environment: `${environments}/test` }, environment);
  expect(target.name).toMatch(/^func-example \(environment .*test\)$/);
  expect(target.gatewayUrl).toBe("https://api.example.com");
  expect(await target.log.lines({ hours: 1 })).toEqual([]);
  const elsewhere = await connect({ environment: `${environments}/elsewhere` }, environment);
  await expect(elsewhere.log.lines({ hours: 1 })).rejects.toThrow("Azure does not find the log workspace");
  await expect(connect({ environment: `${environments}/other` }, environment)).rejects.toThrow(
    /^The resource group must have exactly one app with the tag vmr-gateway=other\.$/,
  );
  await expect(connect({ environment: "nowhere" }, environment)).rejects.toThrow(
    "--environment: there is no infra/environments/nowhere.env",
  );
});

test("Says that no local gateway runs, and how to start one", async () => {
  await expect(connectLocally("/nowhere")).rejects.toThrow(/^No local gateway is running\. Start one with /);
});

const usage = { ends: exitCodes.usage.code };
const unreachable = { ends: exitCodes.unreachable.code };

test.each<{ command: string; shell?: Record<string, string>; status?: number; ends: number; says: RegExp }>([
  {
    command: "status --local --environment test",
    ...usage,
    says: /'--environment <name>' cannot be .* '--local'/,
  },
  {
    command: "status",
    shell: { PATH: "/nonexistent" },
    ...usage,
    says: /: Name the gateway: --local, --envi/,
  },
  {
    command: "status",
    shell: { ...names, AZURE_SUBSCRIPTION_ID: "" },
    ...usage,
    says: /: AZURE_SUBSCRIPTION_ID is missing\./,
  },
  { command: "status", status: 403, ...unreachable, says: /^You may not read \w.* need the role \w.*\n$/ },
  { command: "status", status: 404, ...unreachable, says: /^Azure does not find .*\n$/ },
  { command: "status", status: 500, ...unreachable, says: /^Azure returned 500 for .*\n$/ },
  // It needs both user name and password.
  {
    command: "shrink 0",
    shell: { ...names, PLATFORM_USERNAME: "operator" },
    ...unreachable,
    says: /:\nThis command needs your own credentials for https:\S+\. Set PLATFORM_USERNAME and/,
  },
])("Refuses ops $command: $says", async (row) => {
  returns({ status: row.status ?? 200 });
  const environment = { ...urls(), ...(row.shell ?? names) };
  const refused = { exitCode: row.ends, output: "", remarks: expect.stringMatching(row.says) };
  expect(await ops(row.command.split(" "), { environment })).toEqual(refused);
});

const selective = { room: 'a"b\\c', events: ["request", "room-claimed"], functions: ["eventSink"] };
test.each([
  { of: "some lines", query: linesQuery(app, { hours: 1, ...selective }) },
  { of: "another gateway's lines", query: linesQuery(app, { hours: 24, gateway: "production" }) },
  { of: "API Management's refusals", query: apiManagementQuery("vmr-gateway-test") },
  { of: "the newest metrics row", query: metricsQuery(app) },
  { of: "a failure to load", query: loadFailureQuery(app) },
])("Kusto's language service finds no fault in the query of $of", ({ query }) => {
  expect(faultsOf(query)).toEqual([]);
});

test("The operator's ID is the object ID in a token for Azure's management API, which needs a login", async () => {
  const url = "https://management.azure.com";
  const token = jsonwebtoken.sign({ oid: "44444444-4444-4444-8444-444444444444" }, "secret");
  const getToken = async (scope: unknown) =>
    scope === `${url}/.default` ? { token, expiresOnTimestamp: 0 } : null;
  expect(await fetchOperatorId(url, { getToken })).toBe("44444444-4444-4444-8444-444444444444");
  await expect(fetchOperatorId(url, { getToken: async () => null })).rejects.toThrow("Run `az login` first");
});
