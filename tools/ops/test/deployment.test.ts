/** The gateways that commands find: a running one, locally and as a deployment. Azure's APIs are simulated. */
import { writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import jsonwebtoken from "jsonwebtoken";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import { loggableName } from "../../../src/lib/ownership/room.ts";
import { exampleEnvironment, oauthEnvironment } from "../../../test/support/example-settings.ts";
import { onlyOf, snapshotOf } from "../../../test/support/infra/snapshots.ts";
import { faultsOf } from "../../../test/support/kusto.ts";
import { type Row, runQuery } from "../../../test/support/kusto-rows.ts";
import { useRunningGateway } from "../../../test/support/running-gateway.ts";
import { temporaryFolder } from "../../../test/support/script-process.ts";
import { useStarted } from "../../../test/support/use-started.ts";
import { connectionOf, writeConnection } from "../../simulators/connection.ts";
import { identities } from "../../simulators/identities.ts";
import { startLoopbackServer } from "../../simulators/services/loopback-server.ts";
import { createAzureApi } from "../gateway/azure-api.ts";
import { connect } from "../gateway/connect.ts";
import { fetchOperatorId } from "../gateway/deployment.ts";
import { connectLocally, createLocalLog, createLogReader } from "../gateway/local.ts";
import type { LogFilter } from "../gateway/log.ts";
import { alertLimitsSchema, defaultLimits } from "../gateway/target.ts";
import { exitCodes } from "../outcomes.ts";
import { ops } from "./run-ops.ts";

const app = "func-example";
const subscription = "00000000-0000-4000-8000-000000000001";
const groupId = `/subscriptions/${subscription}/resourceGroups/rg-example`;
const appId = `${groupId}/providers/Microsoft.Web/sites/${app}`;
const workspaceId = `${groupId}/providers/Microsoft.OperationalInsights/workspaces/log-example`;

const site = {
  name: app,
  tags: { "vmr-gateway": "test", "vmr-gateway-health": "https://api.example.com/vmr/public/health" },
  properties: {
    defaultHostName: "func-example.example.com",
    lastModifiedTimeUtc: "2026-01-02T03:04:05.6789",
  },
};
const twins = ["a", "b"].map((name) => ({ name, tags: { "vmr-gateway": "other" } }));
const secrets = ["Resolved", "SecretNotFound", "Resolved", null].map((status, index) => {
  return { name: `SECRET_${index}`, properties: { status } };
});

interface Azure {
  readonly status: number;
  readonly settings: Readonly<Record<string, string>>;
  readonly workspaces: readonly object[];
  /** The rows of all tables of the log. */
  readonly rows: readonly Row[];
  /** What is said about a result beside its rows. */
  readonly error?: object;
}
let azure: Azure;
const initially: Azure = {
  status: 200,
  settings: {
    ...exampleEnvironment,
    PLATFORM_OAUTH_SCOPE: "of-the-app",
    ROOM_HOST_PIN: "@Microsoft.KeyVault(SecretUri=https://kv.example.com/secrets/ROOM-HOST-PIN)",
  },
  workspaces: [
    { id: "/other", tags: { "vmr-gateway": "other" } },
    { id: workspaceId, tags: { "vmr-gateway": "test" } },
  ],
  rows: [],
};
const returns = (changes: Partial<Azure>) => {
  azure = { ...initially, ...changes };
};
beforeEach(() => returns({}));

const now = Date.parse("2026-01-02T03:04:05Z");
/** A row of the log, which is so many minutes old. */
const rowOf = (Type: string, minutes: number, columns: object): Row => ({
  Type,
  TimeGenerated: now - minutes * 60_000,
  ...columns,
});
const trace = (minutes: number, fields: object | string, AppRoleName = "FUNC-example") =>
  rowOf("AppTraces", minutes, {
    AppRoleName,
    Message: typeof fields === "string" ? fields : JSON.stringify(fields),
  });

const queryBody = z.object({ query: z.string(), timespan: z.string().regex(/^PT\d+M$/) });

/** Runs a query on the rows of its period. */
function answerQuery(body: Buffer): object {
  const { query, timespan } = queryBody.parse(JSON.parse(body.toString("utf8")));
  expect(faultsOf(query)).toEqual([]);
  const since = now - Number.parseInt(timespan.slice(2), 10) * 60_000;
  const rows = azure.rows.filter(({ TimeGenerated }) => Number(TimeGenerated) >= since);
  const found = runQuery(query, rows, now).map(({ TimeGenerated, ...columns }) => ({
    ...columns,
    ...(TimeGenerated !== undefined && { TimeGenerated: new Date(Number(TimeGenerated)).toISOString() }),
  }));
  const columns = Object.keys(found[0] ?? {}).map((name) => ({ name }));
  return { tables: [{ columns, rows: found.map((row) => Object.values(row)) }], error: azure.error };
}

/** What the endpoint for managed identities returns. */
const tokenOfMachine = {
  access_token: "of-the-machine",
  expires_on: "4000000000",
  resource: "https://management.azure.com",
  token_type: "Bearer",
};

const server = useStarted(async () =>
  startLoopbackServer(({ method, url, body }) => {
    const ofWeb = "?api-version=2024-04-01";
    const workspaces = `${groupId}/providers/Microsoft.OperationalInsights/workspaces?api-version=2023-09-01`;
    const bodies: Record<string, unknown> = {
      [`POST ${appId}/config/appsettings/list${ofWeb}`]: { properties: azure.settings },
      [`GET ${appId}/config/configreferences/appsettings${ofWeb}`]: { value: secrets },
      [`GET ${groupId}/providers/Microsoft.Web/sites${ofWeb}`]: {
        value: [{ name: "func-other" }, site, ...twins],
      },
      [`GET ${appId}${ofWeb}`]: site,
      [`GET ${workspaces}`]: { value: azure.workspaces },
    };
    if (url.pathname === "/token") return { status: 200, body: tokenOfMachine };
    if (`${method} ${url.pathname}` === `POST /v1${workspaceId}/query`)
      return { status: 200, body: answerQuery(body) };
    const found =
      bodies[`${method} ${url.pathname.replace("rg-vmr-gateway-test", "rg-example")}${url.search}`];
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
    header: /^the local gateway at http:\S+, started [\d-]+ [\d:]+ UTC(?:, 1 of [2-9]\d* running)?\. /,
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

test("The newest metrics row and the reason why the app cannot be loaded are its own", async () => {
  const metrics = (minutes: number, PoolDepth: number, App = "FUNC-example") =>
    rowOf("VmrGatewayMetrics_CL", minutes, { App, PoolDepth });
  const failure = (minutes: number, name: string, of?: string) =>
    trace(minutes, `Worker was unable to load: Invalid settings: ${name}: is required\n at x`, of);
  const ofMetrics = [metrics(9, 1), metrics(5, 3), metrics(7, 2), metrics(1, 4, "func-other")];
  returns({ rows: [...ofMetrics, failure(61, "D")] });
  const { log, unresolvedSecrets } = await connect({}, shell());
  expect(await log.newestMetrics()).toMatchObject({ PoolDepth: 3 });
  expect(await log.loadFailure()).toBeUndefined();
  returns({
    rows: [failure(50, "A"), failure(40, "B"), failure(30, "C", "func-other"), trace(1, {})],
  });
  expect(await log.newestMetrics()).toBeUndefined();
  expect(await log.loadFailure()).toBe("Invalid settings: B: is required");
  expect(await unresolvedSecrets()).toEqual(["SECRET_1", "SECRET_3"]);
});

const room = 'a"b\\c';
const claimed = { event: "room-claimed", function: "createRoom", room };
const request = { ...claimed, event: "request", room: loggableName(room) };
const metricsRun = { ...request, function: "collectMetrics", room: "other" };
test.each<[string, LogFilter, object[]]>([
  ["all lines", { hours: 5 }, [metricsRun, request, claimed]],
  ["the lines of a quarter of an hour", { hours: 0.25 }, [claimed]],
  ["a room's lines", { hours: 5, room }, [request, claimed]],
  [
    "the lines of some events",
    { hours: 5, events: ["room-claimed", "request"] },
    [metricsRun, request, claimed],
  ],
  ["the lines of one event", { hours: 5, events: ["room-claimed"] }, [claimed]],
  ["the lines of a function", { hours: 5, functions: ["collectMetrics"] }, [metricsRun]],
])("The log has %s, the newest last", async (_, filter, expected) => {
  const others = [trace(2, "no JSON"), trace(3, request, "func-other")];
  returns({
    rows: [trace(299, metricsRun), trace(1, claimed), trace(16, request), trace(301, request), ...others],
  });
  const lines = await (await connect({}, shell())).log.lines(filter);
  expect(lines.map(({ fields }) => fields)).toEqual(expected);
});

const detail = (message: string, severityName?: string) => ({
  message: "x",
  innererror: { message, severityName },
});
const warning = detail("no table of calls\nat length", "Warning");
const partial = (error: object) => ({ message: "some errors", ...error });
test.each([
  {
    error: partial({ details: [warning, detail("no column", "Warning")] }),
    isWhole: true,
    says: "no table of calls",
  },
  { error: partial({ details: [detail("too long", "Error"), warning] }), says: "too long" },
  { error: partial({ details: [detail("unnamed")] }), says: "unnamed" },
  { error: partial({}), says: "some errors" },
])(
  "A result with an error is taken as whole only if it is a warning: $says",
  async ({ error, isWhole, says }) => {
    returns({ rows: [trace(1, claimed)], error });
    const { output } = await ops(["status"], { environment: shell() });
    const isNamed = output.includes(`\n\nThe log workspace warns: ${says}\n`);
    expect([
      isNamed,
      output.includes(`!!  Log             The log is incomplete. Azure says: ${says}\n`),
    ]).toEqual(isWhole ? [true, false] : [false, true]);
  },
);

test("Of more than 10,000 lines, a log has the latest", async () => {
  const minutes = Array.from({ length: 10_001 }, (_, index) => (10_001 - index) / 100);
  returns({ rows: minutes.map((each) => trace(each, { event: String(each) })) });
  const stored = minutes.map((each) => {
    return { time: new Date(now - each * 60_000).toISOString(), fields: { event: String(each) } };
  });
  const local = createLogReader({ lines: async () => stored, rows: async () => [] }, { now: () => now });
  for (const { lines } of [local, (await connect({}, shell())).log]) {
    const found = (await lines({ hours: 2 })).map(({ fields }) => fields["event"]);
    expect(found).toEqual(minutes.slice(1).map(String));
  }
});

test("Judges by the limits of the deployment's alerts, and without them by the defaults", async () => {
  expect((await connect({}, shell())).limits).toEqual(defaultLimits);
  const { ALERT_LIMITS } = onlyOf(snapshotOf("existing"), "Web/sites/config").properties;
  returns({ settings: { ...initially.settings, ALERT_LIMITS } });
  const deployed = { ...defaultLimits, "event-sink-silent": { rooms: 7, percentOfClaims: 25 } };
  expect((await connect({}, shell())).limits).toMatchObject(alertLimitsSchema.parse(deployed));
});

test("Takes the named workspace, or the only one of a resource group, even without the tag of the environment", async () => {
  const untagged = { id: workspaceId };
  const ofAnother = { id: "/other", tags: { "vmr-gateway": "other" } };
  returns({ workspaces: [untagged] });
  expect(await (await connect({}, shell())).log.lines({ hours: 1 })).toEqual([]);
  const { log } = await connect({}, shell({ LOG_WORKSPACE_ID: "/elsewhere" }));
  await expect(log.lines({ hours: 1 })).rejects.toThrow("Azure does not find the log workspace");
  for (const workspaces of [[], [ofAnother, untagged]]) {
    returns({ workspaces });
    await expect(connect({}, shell())).rejects.toThrow("must have exactly one log workspace");
  }
});

const directUrl = "https://func-example.example.com/public/health";
const audience = "TokenAudienceNotAllowed";
const apiCall = (minutes: number, changes: object = {}) =>
  rowOf("ApiManagementGatewayLogs", minutes, {
    ApiId: "vmr-gateway-test",
    OperationId: "create-room-from-queue",
    ResponseCode: 401,
    LastErrorReason: audience,
    ...changes,
  });
const notRefused = [
  { ResponseCode: 503, BackendResponseCode: 503 },
  { OperationId: "get-room" },
  { LastErrorReason: "" },
  { ResponseCode: 200, LastErrorReason: null },
].map((changes) => apiCall(1, changes));
const ofAnotherApi = apiCall(1, { ApiId: "other" });
test.each([
  {
    title: "refuses are those of its log, however many others there are",
    rows: [
      apiCall(9),
      ...notRefused,
      ...Array(1000).fill(notRefused[0]),
      apiCall(2, { ResponseCode: 403, OperationId: "create-room" }),
    ],
    says: [
      [401, audience],
      [403, audience],
    ],
  },
  {
    title: "fails itself are in its log, also if the app has responded before",
    rows: [
      apiCall(4, { ResponseCode: 429, LastErrorReason: "RateLimitExceeded" }),
      apiCall(3, { ResponseCode: 504, LastErrorReason: null }),
      apiCall(2, { ResponseCode: 502, BackendResponseCode: 0 }),
      apiCall(1, { ResponseCode: 500, BackendResponseCode: 200 }),
      apiCall(1, { ResponseCode: 500, OperationId: "get-room" }),
    ],
    says: [
      [429, "RateLimitExceeded"],
      [504, null],
      [502, audience],
      [500, audience],
    ],
  },
  {
    title: "refuses are none if it refused none in the last hour",
    rows: [...notRefused, apiCall(61)],
    says: [],
  },
  { title: "refuses are not known without its log", rows: [ofAnotherApi], says: undefined },
  {
    title: "refuses are none if calls do not pass it",
    rows: [],
    variables: { HEALTH_URL: directUrl },
    says: [],
  },
])("The creates that API Management $title", async ({ rows, variables, says }) => {
  returns({ rows });
  const lines = await (await connect({}, shell(variables))).log.answeredByApiManagement();
  expect(lines?.map(({ fields }) => [fields["status"], fields["reason"]])).toEqual(says);
  const fields = { function: "createRoom" };
  for (const line of lines ?? []) expect(line).toMatchObject({ time: expect.stringMatching(/Z$/), fields });
});

test("Takes the names of the resources from the values of an environment, whatever the shell says", async () => {
  const folder = await temporaryFolder();
  const values = `AZURE_SUBSCRIPTION_ID=${subscription}\nAZURE_RESOURCE_GROUP='rg-example'\nAZURE_ENV_NAME=`;
  for (const name of ["test", "other"]) await writeFile(join(folder, `${name}.env`), `${values}${name}\n`);
  await writeFile(join(folder, "elsewhere.env"), `${values}test\nEXISTING_WORKSPACE_ID=/elsewhere\n`);
  const blank = values.replace("'rg-example'", "");
  await writeFile(join(folder, "blank.env"), `${blank}test\nEXISTING_WORKSPACE_ID=\n`);
  const environments = relative(join("infra", "environments"), folder);
  const ofAnother = { FUNCTION_APP_NAME: "func-other", AZURE_RESOURCE_GROUP: "rg-other" };
  const further = { AZURE_SUBSCRIPTION_ID: "other", LOG_WORKSPACE_ID: "/other", HEALTH_URL: directUrl };
  const environment = shell({ ...ofAnother, ...further });
  const target = await connect({ environment: `${environments}/test` }, environment);
  expect(target.name).toMatch(/^func-example \(environment .*test\)$/);
  expect(target.gatewayUrl).toBe("https://api.example.com/vmr");
  expect(await target.log.lines({ hours: 1 })).toEqual([]);
  const elsewhere = await connect({ environment: `${environments}/elsewhere` }, environment);
  await expect(elsewhere.log.lines({ hours: 1 })).rejects.toThrow("Azure does not find the log workspace");
  // Blank values are none: the group has its usual name, and the workspace that of the environment.
  const blanks = await connect({ environment: `${environments}/blank` }, environment);
  expect(await blanks.log.lines({ hours: 1 })).toEqual([]);
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

test("On the local gateway, the operator is `local`, and a log that does not respond is named", async () => {
  const { operatorId, unresolvedSecrets, log } = await connectToRunning();
  const known = [operatorId(), unresolvedSecrets(), log.answeredByApiManagement()];
  expect(await Promise.all(known)).toEqual(["local", [], []]);
  const lines = createLocalLog("http://127.0.0.1:1").lines({ hours: 1 });
  await expect(lines).rejects.toThrow("The log workspace at http://127.0.0.1:1 does not respond");
});

const usage = { ends: exitCodes.usage.code };
const unreachable = { ends: exitCodes.unreachable.code };

test.each<{
  command: string;
  shell?: Record<string, string>;
  status?: number;
  settings?: Record<string, string>;
  ends: number;
  says: RegExp;
}>([
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
  { command: "status", status: 401, ...unreachable, says: /^You may not read \w.* need the role \w.*\n$/ },
  { command: "status", status: 403, ...unreachable, says: /^You may not read \w.* need the role \w.*\n$/ },
  { command: "status", status: 404, ...unreachable, says: /^Azure does not find .*\n$/ },
  { command: "status", status: 429, ...unreachable, says: /^Azure returned 429 for .*\n$/ },
  {
    command: "status",
    settings: { ...initially.settings, MAX_VMR: "many" },
    ...unreachable,
    says: /^The gateway cannot run with its settings\. Invalid settings: MAX_VMR: must be a whole .*\n$/,
  },
  // It needs both user name and password.
  {
    command: "shrink 0",
    shell: { ...names, PLATFORM_USERNAME: "operator" },
    ...unreachable,
    says: /:\nThis command needs your own credentials for https:\S+\. Set PLATFORM_USERNAME and/,
  },
])("Refuses ops $command: $says", async (row) => {
  returns({ status: row.status ?? 200, settings: row.settings ?? initially.settings });
  const environment = { ...urls(), ...(row.shell ?? names) };
  const refused = { exitCode: row.ends, output: "", remarks: expect.stringMatching(row.says) };
  expect(await ops(row.command.split(" "), { environment })).toEqual(refused);
});

test("The operator's own login is used instead of the app's identity", async () => {
  const { AzureWebJobsStorage: _, ...others } = initially.settings;
  const identity = {
    AzureWebJobsStorage__credential: "managedidentity",
    AzureWebJobsStorage__clientId: "id",
  };
  returns({ settings: { ...others, AzureWebJobsStorage__accountName: "account", ...identity } });
  const { storage } = (await connect({}, shell())).settings;
  expect(storage).toMatchObject({ usesManagedIdentity: false, identityClientId: undefined });
});

const withScope = { ...oauthEnvironment, PLATFORM_OAUTH_SCOPE: "of-the-operator" };
test.each([
  { logsIn: "by user name", variables: logIn, has: true, as: { username: logIn.PLATFORM_USERNAME } },
  { logsIn: "with OAuth 2.0", variables: withScope, has: true, as: { scope: "of-the-operator" } },
  {
    logsIn: "without a password",
    variables: { ...logIn, PLATFORM_PASSWORD: "" },
    has: false,
    as: { username: "none" },
  },
])("An operator who logs in $logsIn has the platform: $has", async ({ variables, has, as }) => {
  const { platform, settings } = await connect({}, shell(variables));
  expect(platform !== undefined).toBe(has);
  expect(settings.platform.logIn).toMatchObject(as);
});

test("Azure's API is called with a token, and an unexpected response names what cannot be read", async () => {
  const sent: unknown[] = [];
  let answer = async (): Promise<Response> => Response.json({ value: 1 });
  vi.stubGlobal("fetch", async (to: string, request: object) => {
    sent.push({ to, ...request });
    return answer();
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  const url = "https://management.example.com";
  const getToken = async (scope: unknown) => ({ token: `of ${String(scope)}`, expiresOnTimestamp: 0 });
  const api = createAzureApi(url, { getToken });
  const call = async (body?: object) =>
    api("/x", z.object({ value: z.number() }), { subject: "the app", role: "Reader" }, body);
  expect([await call(), await call({ query: "a" })]).toEqual([{ value: 1 }, { value: 1 }]);
  const headers = { "content-type": "application/json", authorization: `Bearer of ${url}/.default` };
  expect(sent).toMatchObject([
    { to: `${url}/x`, method: "GET", headers },
    { to: `${url}/x`, method: "POST", headers, body: '{"query":"a"}' },
  ]);
  expect(sent[0]).not.toHaveProperty("body");
  answer = async () => Response.json({ value: "text" });
  await expect(call()).rejects.toThrow("Azure returned an unexpected response for the app.");
  const error = { message: "bad", innererror: { message: "The table is a Basic one" } };
  for (const status of [400, 403, 404]) {
    answer = async () => Response.json({ error }, { status });
    await expect(call()).rejects.toThrow(/the app.*\. Azure says: The table is a Basic one$/);
  }
});

test("The operator's ID is the object ID in a token for Azure's management API, which needs a login", async () => {
  const url = "https://management.azure.com";
  const token = jsonwebtoken.sign({ oid: "44444444-4444-4444-8444-444444444444" }, "secret");
  const getToken = async (scope: unknown) =>
    scope === `${url}/.default` ? { token, expiresOnTimestamp: 0 } : null;
  expect(await fetchOperatorId(url, { getToken })).toBe("44444444-4444-4444-8444-444444444444");
  await expect(fetchOperatorId(url, { getToken: async () => null })).rejects.toThrow(/ of this machine\.$/);
  const failing = async () => Promise.reject(new Error("no account\nmore"));
  await expect(fetchOperatorId(url, { getToken: failing })).rejects.toThrow(/ machine \(no account\)\.$/);
});

const logIns = "install it, and run `az login`, or `az login --identity` to use the identity of this machine";
test.each([
  {
    state: "is logged in",
    // Its arguments are the token.
    az: `printf '{"accessToken":"%s","expires_on":4000000000}' "$*"`,
    says: "Azure does not find",
    tokens: [expect.stringMatching(`^Bearer account get-access-token .*--subscription ${subscription}$`)],
  },
  { state: "is missing", az: undefined, says: `: ${logIns}.`, tokens: [] },
  {
    state: "is logged out",
    az: `echo "ERROR: Please run 'az login' to setup account." >&2; exit 1`,
    says: `: ${logIns}.`,
    tokens: [],
  },
  {
    state: "does not know the subscription",
    az: `echo "ERROR: The subscription does not exist." >&2; exit 1`,
    says: `: ${logIns} (ERROR: The subscription does not exist.).`,
    tokens: [],
  },
])(
  "Uses the login of the Azure CLI for the subscription, and no identity of the machine: it $state",
  async (row) => {
    const folder = await temporaryFolder();
    if (row.az) await writeFile(join(folder, "az"), `#!/bin/sh\n${row.az}\n`, { mode: 0o755 });
    const ofMachine = { IDENTITY_ENDPOINT: `${server.url}/token`, IDENTITY_HEADER: "made-up" };
    for (const [name, value] of Object.entries({ ...ofMachine, PATH: folder })) vi.stubEnv(name, value);
    const tokens: unknown[] = [];
    vi.stubGlobal("fetch", async (_: string, { headers }: { headers: Record<string, string> }) => {
      tokens.push(headers["authorization"]);
      return new Response(null, { status: 404 });
    });
    onTestFinished(() => {
      vi.unstubAllEnvs();
      vi.unstubAllGlobals();
    });
    await expect(connect({}, { ...names, LOG_WORKSPACE_ID: workspaceId })).rejects.toThrow(row.says);
    expect([...new Set(tokens)]).toEqual(row.tokens);
  },
);
