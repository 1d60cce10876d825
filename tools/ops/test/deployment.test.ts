/** The commands on a deployment: Azure's APIs are simulated; queues, platform and the queries of the log are real. */
import { writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import jsonwebtoken from "jsonwebtoken";
import { beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { faultsOf } from "../../../test/support/kusto.ts";
import { temporaryFolder } from "../../../test/support/script-process.ts";
import { useStarted } from "../../../test/support/use-started.ts";
import { identities } from "../../simulators/identities.ts";
import { startLoopbackServer } from "../../simulators/loopback-server.ts";
import { claimEvents } from "../plan/measured-load.ts";
import { apiManagementQuery, countsQuery, linesQuery, metricsQuery } from "../target/azure-log.ts";
import { fetchOperatorId } from "../target/deployment.ts";
import { ops, useOperatedGateway } from "./operated-gateway.ts";

const operated = useOperatedGateway({ MAX_VMR: "3" });
const app = "func-example";
const groupId = "/subscriptions/00000000-0000-4000-8000-000000000001/resourceGroups/rg-example";
const appId = `${groupId}/providers/Microsoft.Web/sites/${app}`;
const workspaceId = `${groupId}/providers/Microsoft.OperationalInsights/workspaces/log-example`;
const reference = (name: string) => `@Microsoft.KeyVault(SecretUri=https://kv.example.com/secrets/${name})`;
const traceRows = z.array(z.object({ time: z.string(), fields: z.record(z.string(), z.unknown()) }));
type Trace = z.output<typeof traceRows>[number];
const queryBody = z.object({ query: z.string(), timespan: z.string() });

let status = 200;
let secretStatus = "Resolved";
/** The rows of API Management's log. */
let apiManagementCalls: object[];

/** The app's settings as a deployment has them: secrets are references to the vault. */
function appSettings(): Record<string, string> {
  const secrets = ["PLATFORM_PASSWORD", "ROOM_HOST_PIN", "EVENT_SINK_PASSWORD"];
  return {
    ...operated.settings,
    ...Object.fromEntries(secrets.map((name) => [name, reference(name.replaceAll("_", "-"))])),
  };
}

/** The function app, with the tags of its environment. */
const site = () => ({
  name: app,
  tags: { "vmr-gateway": "test", "vmr-gateway-health": `${operated.url}/public/health` },
  properties: {
    defaultHostName: "func-example.example.com",
    lastModifiedTimeUtc: "2026-01-02T03:04:05.6789",
  },
});

/** The newest lines of this app that a query of `linesQuery` selects: those whose fields have the values that it names. */
function selectLines(text: string, traces: readonly Trace[]): Record<string, unknown>[] {
  if (!text.includes(`AppRoleName =~ "${app}"`)) return [];
  const conditions = [...text.matchAll(/tostring\(entry\.(\w+)\) (?:==|in) (.+)/g)];
  return traces
    .filter(({ fields }) =>
      conditions.every(([, field = "", values = ""]) => values.includes(JSON.stringify(fields[field]))),
    )
    .toSorted((one, other) => Date.parse(other.time) - Date.parse(one.time))
    .map(({ time, fields }) => ({ TimeGenerated: time, Message: JSON.stringify(fields) }));
}

/** The rows of the simulated log workspace from this timespan (`PT1440M`), as a table of Log Analytics. */
async function query({ query: text, timespan }: z.output<typeof queryBody>): Promise<unknown> {
  if (text === apiManagementQuery("vmr-gateway-test")) return tableOf(apiManagementCalls);
  const since = Date.now() - Number(/^PT(\d+)M$/.exec(timespan)?.[1]) * 60_000;
  const { url, rows: measured } = operated.stack.logWorkspace;
  const traces = traceRows.parse(await (await fetch(`${url}/control/traces`)).json());
  const rows =
    text === metricsQuery(app)
      ? measured()
          .slice(-1)
          .map(({ row }) => row as Record<string, unknown>)
      : selectLines(
          text,
          traces.filter(({ time }) => Date.parse(time) >= since),
        );
  return tableOf(rows);
}

function tableOf(rows: readonly object[]): unknown {
  const columns = Object.keys(rows[0] ?? {});
  const table = {
    columns: columns.map((name) => ({ name })),
    rows: rows.map((row) => columns.map((name) => Object(row)[name])),
  };
  return { tables: [table] };
}

const azure = useStarted(async () =>
  startLoopbackServer(async ({ method, url, body }) => {
    if (status !== 200) return { status };
    const bodies: Record<string, () => unknown> = {
      [`POST ${appId}/config/appsettings/list`]: () => ({ properties: appSettings() }),
      [`GET ${appId}/config/configreferences/appsettings`]: () => ({
        value: [{ name: "ROOM_HOST_PIN", properties: { status: secretStatus } }],
      }),
      [`GET ${groupId}/providers/Microsoft.Web/sites`]: () => ({ value: [{ name: "func-other" }, site()] }),
      [`GET ${appId}`]: site,
      [`GET ${groupId}/providers/Microsoft.OperationalInsights/workspaces`]: () => ({
        value: [{ id: workspaceId }],
      }),
      [`POST /v1${workspaceId}/query`]: () => query(queryBody.parse(JSON.parse(body.toString("utf8")))),
    };
    const read = bodies[`${method} ${url.pathname}`];
    return read ? { status: 200, body: await read() } : { status: 404 };
  }),
);
beforeEach(() => {
  apiManagementCalls = [];
  status = 200;
  secretStatus = "Resolved";
});

const logIn = {
  PLATFORM_USERNAME: identities.platformUsername,
  PLATFORM_PASSWORD: identities.platformPassword,
};
const names = {
  AZURE_SUBSCRIPTION_ID: "00000000-0000-4000-8000-000000000001",
  AZURE_RESOURCE_GROUP: "rg-example",
  FUNCTION_APP_NAME: app,
};

const azureUrls = () => ({ OPS_RESOURCE_MANAGER_URL: azure.url, OPS_LOG_ANALYTICS_URL: azure.url });

async function opsOnDeployment(args: readonly string[], environment: Record<string, string> = {}) {
  const addresses = { HEALTH_URL: `${operated.url}/public/health`, ...azureUrls() };
  return ops(args, { environment: { ...names, ...addresses, ...environment } });
}

describe("With credentials for the platform", () => {
  test("ops status measures, and ops rooms knows the settings of new rooms from the log", async () => {
    await operated.fillPool(3);
    const older = JSON.stringify({ event: "metrics-collected", fingerprint: "11111111" });
    operated.stack.logWorkspace.addTrace(older, new Date(Date.now() - 3600_000));
    await operated.runTimer("collectMetrics");
    const shown = await opsOnDeployment(["status"], logIn);
    expect(shown.output).toMatch(
      /^func-example, last changed 2026-01-02 03:04:05 UTC\. Now: [\d-]+ [\d:]+ UTC\n\n {2}(?:.*\n)+ {2}ok {2}Pool {12}3 of 3 rooms\n/,
    );
    expect(shown.exitCode).toBe(0);
    const rooms = await opsOnDeployment(["rooms"], logIn);
    expect(rooms.output.match(/pooled .* current$/gm)).toHaveLength(3);
  });

  test("ops doctor names a secret that the app cannot read, and prints none", async () => {
    await operated.runTimer("collectMetrics");
    expect((await opsOnDeployment(["doctor"], logIn)).output).toMatch(/ok {2}Secrets {9}all are resolved\n/);
    secretStatus = "SecretNotFound";
    await operated.stack.platform.goDown();
    const { exitCode, output, remarks } = await opsOnDeployment(["doctor"], logIn);
    expect(exitCode).toBe(1);
    expect(output).toContain("!!  Secrets         not resolved: ROOM_HOST_PIN\n");
    for (const secret of [identities.platformPassword, identities.hostPin, identities.sinkPassword])
      expect(output + remarks).not.toContain(secret);
    expect(output + remarks).not.toMatch(/AccountKey/);
  });
});

const refused = { time: new Date().toISOString(), status: 401, reason: "TokenAudienceNotAllowed" };

test.each<[string, object[], Record<string, string>, RegExp]>([
  [
    "are shown",
    Array(5).fill(refused),
    { AZURE_ENV_NAME: "test" },
    /^ {2}!! .*were refused, .*\(401: TokenA\w+\)$/,
  ],
  ["are none", [{ ...refused, status: null }], {}, /^ {2}ok .*in 1 h$/],
  ["are not visible without its log", [], {}, /^ {2}\?\? .*is not visible here$/],
  [
    "do not exist without it",
    [],
    { HEALTH_URL: "https://func-example.example.com/public/health" },
    /^ {2}ok /,
  ],
])("The creates that API Management refuses %s", async (_, calls, environment, line) => {
  apiManagementCalls = calls;
  const { output } = await opsOnDeployment(["status"], environment);
  expect(output.match(/^.* Callers .*$/m)?.[0]).toMatch(line);
});

describe("Without credentials for the platform", () => {
  test("ops status shows the newest metrics row", async () => {
    await operated.fillPool(2);
    await operated.runTimer("collectMetrics");
    const { exitCode, output } = await opsOnDeployment(["status"]);
    expect(output).toMatch(/\nFrom the metrics row of 20\S+\.\n/);
    expect(output).toContain("ok  Rooms           2 pooled, 0 assigned, 0 live conferences\n");
    expect(exitCode).toBe(0);
  });

  test("ops room looks back exactly as far as its option says", async () => {
    const claimed = JSON.stringify({ event: "room-claimed", room: "room-1" });
    operated.stack.logWorkspace.addTrace(claimed, new Date(Date.now() - 5 * 3600_000));
    expect((await opsOnDeployment(["room", "room-1", "--hours", "4"])).exitCode).toBe(1);
    expect((await opsOnDeployment(["room", "room-1", "--hours", "6"])).exitCode).toBe(0);
  });

  test.each([{}, { PLATFORM_USERNAME: logIn.PLATFORM_USERNAME }])(
    "A command that needs them says how to set them, and ends with 3: %j",
    async (environment) => {
      const { exitCode, remarks } = await opsOnDeployment(["shrink", "0"], environment);
      expect(exitCode).toBe(3);
      expect(remarks).toMatch(
        /^On func-example, .*:\nThis command needs your own credentials for http:\S+\. Set PLATFORM_USERNAME and/,
      );
    },
  );
});

describe("Finding the deployment", () => {
  test.each([
    [403, /^You may not read \w[^\n]+ \(403\)\. You need the role \w/],
    [404, /^Azure does not find /],
    [500, /^Azure returned 500 for /],
  ])("Says so in one line if Azure returns %i", async (returned, message) => {
    status = returned;
    const { exitCode, remarks } = await opsOnDeployment(["status"]);
    expect(exitCode).toBe(3);
    expect(remarks).toMatch(message);
    expect(remarks.trim().split("\n")).toHaveLength(1);
  });

  test("Takes the names of the resources from the values of an environment, whatever the shell says", async () => {
    const folder = await temporaryFolder();
    const groupName = "AZURE_RESOURCE_GROUP='rg-example'";
    const values = `AZURE_SUBSCRIPTION_ID=${names.AZURE_SUBSCRIPTION_ID}\nAZURE_ENV_NAME=test\n${groupName}\n`;
    await writeFile(join(folder, "test.env"), values);
    await writeFile(join(folder, "other.env"), values.replace("AZURE_ENV_NAME=test", "AZURE_ENV_NAME=other"));
    const inFolder = (name: string) => relative(join("infra", "environments"), join(folder, name));
    const ofOther = {
      FUNCTION_APP_NAME: "func-other",
      AZURE_RESOURCE_GROUP: "rg-other",
      HEALTH_URL: "http://[::1]:1",
    };
    const environment = {
      ...ofOther,
      AZURE_SUBSCRIPTION_ID: "other",
      LOG_WORKSPACE_ID: "/other",
      ...azureUrls(),
    };
    await operated.runTimer("collectMetrics");
    const { output } = await ops(["status", "--environment", inFolder("test")], { environment });
    expect(output).toMatch(/^func-example \(environment test\), last changed /);
    expect(output).toContain(`ok  Gateway         ${operated.url}/public/health returns 200\n`);
    const { remarks } = await ops(["fill", "--environment", inFolder("test")], { environment });
    expect(remarks).toMatch(/^On func-example \(environment test\), last changed [\d :-]+ UTC:\n/);
    const untagged = await ops(["status", "--environment", inFolder("other")], { environment });
    expect([untagged.exitCode, untagged.remarks]).toEqual([
      3,
      "The resource group must have exactly one app with the tag vmr-gateway=other.\n",
    ]);
    expect(await ops(["status", "--environment", "nowhere"], { environment })).toMatchObject({
      exitCode: 2,
      remarks: expect.stringMatching(/: --environment: there is no infra\/environments\/nowhere\.env\./),
    });
  });

  test.each<[string[], Record<string, string>, RegExp]>([
    [["--local", "--environment", "test"], names, / '--environment <name>' cannot be used with .* '--local'/],
    [["--environment", "--local"], names, /: --environment needs a name, and --local is an option\./],
    [[], { PATH: "/nonexistent" }, /: Name the gateway: --local, --environment, or FUNCTION_APP_NAME and /],
    [[], { FUNCTION_APP_NAME: app }, /: AZURE_SUBSCRIPTION_ID is missing\./],
    [[], { ...names, AZURE_RESOURCE_GROUP: "" }, /: AZURE_RESOURCE_GROUP is missing\./],
  ])("Asks which gateway if %j with %j does not name one", async (args, environment, message) => {
    const { exitCode, remarks } = await ops(["status", ...args], { environment });
    expect([exitCode, remarks]).toEqual([2, expect.stringMatching(message)]);
  });
});

test.each([
  linesQuery(app, { hours: 1 }),
  linesQuery(app, {
    hours: 1,
    room: 'a"b\\c',
    events: ["request", "room-claimed"],
    functions: ["eventSink"],
  }),
  linesQuery(app, { hours: 24, gateway: "production" }),
  countsQuery(app, claimEvents, 15),
  apiManagementQuery("vmr-gateway-test"),
  metricsQuery(app),
])("Kusto's language service finds no fault in %s", (text) => {
  expect(faultsOf(text)).toEqual([]);
});

describe("The operator's ID", () => {
  const url = "https://management.azure.com";

  test("Is the object ID in a token for Azure's management API", async () => {
    const token = jsonwebtoken.sign({ oid: "44444444-4444-4444-8444-444444444444" }, "secret");
    const getToken = async (scope: unknown) =>
      scope === `${url}/.default` ? { token, expiresOnTimestamp: 0 } : null;
    expect(await fetchOperatorId(url, { getToken })).toBe("44444444-4444-4444-8444-444444444444");
  });

  test("Needs a login", async () => {
    await expect(fetchOperatorId(url, { getToken: async () => null })).rejects.toThrow(
      "Run `az login` first",
    );
  });
});
