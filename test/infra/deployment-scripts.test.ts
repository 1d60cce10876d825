/** The scripts around a deployment, run with recorded responses of az: success and each failure. */
import { beforeEach, describe, expect, it } from "vitest";
import { startLoopbackServer } from "../../tools/local/simulators/loopback-server.ts";
import { loadSettings } from "../support/infra/code-facts.ts";
import { type Response, runScript } from "../support/infra/stub-commands.ts";
import { useStartedPerTest } from "../support/use-started.ts";

describe("infra/hooks/refresh-settings.sh", () => {
  let responses: string[];
  let environment: Record<string, string>;
  const app = useStartedPerTest(async () =>
    startLoopbackServer(() => {
      const body = responses.length > 1 ? responses.shift() : responses[0];
      return { status: body === "" ? 503 : 200, body };
    }),
  );
  beforeEach(() => {
    responses = ['{"status":"alive","version":"1.0.0"}'];
    environment = {
      AZURE_RESOURCE_GROUP: "rg-example",
      FUNCTION_APP_NAME: "func-example",
      HEALTH_URL: `${app.url}/public/health`,
      HEALTH_TRIES: "3",
      HEALTH_PAUSE_SECONDS: "0",
    };
  });

  const script = "infra/hooks/refresh-settings.sh";
  const id = "/subscriptions/s/resourceGroups/rg-example/providers/Microsoft.Web/sites/func-example";
  const az: Response[] = [
    { words: "functionapp show", stdout: `${id}\n` },
    { words: "rest --method post" },
    { words: "functionapp restart" },
  ];

  it("Has the references read again, restarts the app and waits for its health", async () => {
    responses = ["", "not yet", '{"status":"alive"}'];
    const run = await runScript({ script, environment, responses: az });
    expect([run.status, run.stderr]).toEqual([0, ""]);
    expect(run.stdout).toContain('answers: {"status":"alive"}');
    expect(run.commands).toEqual([
      "az functionapp show --resource-group rg-example --name func-example --query id --output tsv",
      `az rest --method post --output none --uri https://management.azure.com${id}/config/configreferences/appsettings/refresh?api-version=2022-03-01`,
      "az functionapp restart --resource-group rg-example --name func-example",
    ]);
  });

  it("Fails and says where to look if the health never answers", async () => {
    responses = [""];
    const { status, stderr } = await runScript({ script, environment, responses: az });
    expect(status).toBe(1);
    expect(stderr).toContain("did not answer");
    // What the app logs when it refuses its settings.
    expect(stderr).toContain("Invalid settings");
    expect(() => loadSettings({})).toThrow("Invalid settings");
  });

  it.each([0, 1, 2])("Stops at once if az fails at step %i", async (step) => {
    const failing = az.map((response, index) =>
      index === step ? { ...response, status: 1, stderr: "ERROR: no\n" } : response,
    );
    const { status, stderr, commands } = await runScript({ script, environment, responses: failing });
    expect([status, stderr, commands.length]).toEqual([1, "ERROR: no\n", step + 1]);
  });
});

describe("infra/hooks/check-values.sh", () => {
  const script = "infra/hooks/check-values.sh";
  const complete = Object.fromEntries(
    ["ENVIRONMENT_GROUP", "PLATFORM_URL", "PLATFORM_USERNAME", "ROOM_TEMPLATE", "MAX_VMR", "POOL_MINIMUM"]
      .concat(["CONTACT_CENTRE_API_URL", "CONTACT_CENTRE_DIVISION_IDS", "EVENT_SINK_USERNAME"])
      .concat(["AUTH_TENANT_ID", "AUTH_AUDIENCES", "AUTH_CLIENT_IDS", "PUBLISHER_NAME", "PUBLISHER_EMAIL"])
      .concat(["WIDGET_ORIGINS", "URGENT_EMAILS", "ROUTINE_EMAILS"])
      .map((name) => [name, "value"]),
  );

  it("Passes in silence if every value is set", async () => {
    const run = await runScript({ script, environment: complete, responses: [] });
    expect([run.status, run.stdout, run.stderr, run.commands]).toEqual([0, "", "", []]);
  });

  it.each(Object.keys(complete))(
    "Names %s and what it is, and stops if nobody can be asked",
    async (name) => {
      const environment = { ...complete, [name]: "" };
      const { status, stderr } = await runScript({ script, environment, responses: [] });
      expect(status).toBe(1);
      expect(stderr).toMatch(new RegExp(`^These values are missing\\..*\n  ${name}: .{15,}\n$`));
    },
  );

  it("Takes the client of the platform instead of a user name", async () => {
    const environment = { ...complete, PLATFORM_USERNAME: "", PLATFORM_OAUTH_CLIENT_ID: "client" };
    expect((await runScript({ script, environment, responses: [] })).status).toBe(0);
  });

  it("Asks a person for each missing value and keeps it in the azd environment", async () => {
    const environment = { ...complete, ROOM_TEMPLATE: "", MAX_VMR: "" };
    const responses = [{ words: "env set", times: 2 }];
    const { status, commands } = await runScript({ script, environment, responses, typed: "{}\n10\n" });
    expect(status).toBe(0);
    expect(commands).toEqual(["azd env set ROOM_TEMPLATE {}", "azd env set MAX_VMR 10"]);
  });
});

describe("teardown.sh", () => {
  const script = "infra/scripts/teardown.sh";
  const group = "rg-vmr-gateway-test";
  const environment = { TEARDOWN_CONFIRM: group };
  const exists = (value: boolean): Response => ({ words: "group exists", stdout: `${value}\n` });
  const locks = (...ids: string[]): Response => ({ words: "lock list", stdout: ids.join("\n") });
  const vaults = (text: string): Response => ({ words: "keyvault list-deleted", stdout: text });
  const services = (text: string): Response => ({ words: "apim deletedservice list", stdout: text });
  const nothingLeft = [vaults(""), services("")];
  const rest: Response[] = [
    { words: "lock delete", times: 9 },
    { words: "group delete --yes" },
    { words: "keyvault purge" },
    { words: "apim deletedservice purge" },
  ];
  const teardown = (responses: readonly Response[], changes: object = {}) =>
    runScript({ script, arguments: ["test"], environment, responses: [...responses, ...rest], ...changes });

  it("Deletes the group and purges what would block its names", async () => {
    const run = await teardown([
      exists(true),
      locks(),
      vaults("kv-vmr-a\twesteurope\tNone\t2026-12-01\n"),
      services("apim-vmr-test-a\tWest Europe\n"),
    ]);
    expect([run.status, run.stderr]).toEqual([0, ""]);
    expect(run.commands.filter((line) => /(delete|purge) --/.test(line))).toEqual([
      `az group delete --name ${group} --yes`,
      "az keyvault purge --name kv-vmr-a --location westeurope",
      "az apim deletedservice purge --service-name apim-vmr-test-a --location West Europe",
    ]);
    expect(run.commands.filter((line) => line.includes("--query")).slice(1)).toEqual([
      expect.stringContaining(`contains(properties.vaultId, '/resourceGroups/${group}/')`),
      expect.stringContaining(`contains(serviceId, '/resourceGroups/${group}/')`),
    ]);
  });

  it("Removes locks first", async () => {
    const { status, commands } = await teardown([exists(true), locks("lock-1", "lock-2"), ...nothingLeft]);
    expect(status).toBe(0);
    const order = commands.filter((line) => line.includes(" delete "));
    expect(order).toEqual([
      "az lock delete --ids lock-1",
      "az lock delete --ids lock-2",
      `az group delete --name ${group} --yes`,
    ]);
  });

  it("Purges what an earlier run has left if the group is gone", async () => {
    const { status, stderr, commands } = await teardown([
      exists(false),
      vaults("kv-vmr-a\twesteurope\tFalse\t-\n"),
      services(""),
    ]);
    expect(status).toBe(0);
    expect(stderr).toContain(`There is no ${group}`);
    expect(commands.some((line) => line.startsWith("az group delete"))).toBe(false);
    expect(commands).toContain("az keyvault purge --name kv-vmr-a --location westeurope");
  });

  it("Leaves a protected vault and says until when its name is taken", async () => {
    const { status, stderr, commands } = await teardown([
      exists(true),
      locks(),
      vaults("kv-vmr-a\twesteurope\tTrue\t2027-02-20\n"),
      services(""),
    ]);
    expect(status).toBe(0);
    expect(stderr).toContain("kv-vmr-a is protected and keeps its name until 2027-02-20");
    expect(commands.some((line) => line.includes("keyvault purge"))).toBe(false);
  });

  it("Deletes nothing without a confirmation", async () => {
    const { status, stderr, commands } = await teardown([], { environment: {} });
    expect([status, commands]).toEqual([2, []]);
    expect(stderr).toContain(`TEARDOWN_CONFIRM=${group}`);
  });

  it("Deletes nothing if a person types another name", async () => {
    const { status, commands } = await teardown([], { environment: {}, typed: "test\n" });
    expect([status, commands]).toEqual([1, []]);
  });

  it("Asks which environment if none is named", async () => {
    const { status, stderr } = await teardown([], { arguments: [] });
    expect(status).toBe(2);
    expect(stderr).toContain("infra/scripts/teardown.sh test");
  });

  it.each([
    ["group exists", 1],
    ["lock list", 2],
    ["group delete", 3],
    ["keyvault list-deleted", 4],
    ["keyvault purge", 5],
    ["apim deletedservice list", 6],
    ["apim deletedservice purge", 7],
  ])("Stops with the error of az if %s fails", async (words, calls) => {
    const responses = [
      { words, status: 1, stderr: "ERROR: no\n", times: 9 },
      exists(true),
      locks(),
      vaults("kv-vmr-a\twesteurope\tNone\t-\n"),
      services("apim-a\twesteurope\n"),
    ];
    const run = await teardown(responses);
    expect([run.status, run.stderr, run.commands.length]).toEqual([1, "ERROR: no\n", calls]);
    expect(run.stdout).not.toContain("is gone");
  });
});

describe("infra/scripts/first-run.sh", () => {
  const script = "infra/scripts/first-run.sh";
  // Azure returns the names of outputs with a case of its own.
  const outputs = [
    ["azurE_RESOURCE_GROUP", "functioN_APP_NAME", "keY_VAULT_NAME", "healtH_URL", "outbounD_ADDRESS"],
    ["rg-example", "func-example", "kv-example", "http://127.0.0.1:1/public/health", ""],
  ];
  const state = (text: string): Response => ({ words: "deployment sub list", stdout: text });
  const show: Response = {
    words: "deployment sub show",
    stdout: outputs.map((row) => `${row.join("\t")}\n`).join(""),
  };
  const create: Response = { words: "deployment sub create" };
  const secrets: Response = { words: "keyvault secret show", times: 9 };
  const phase2: Response[] = [
    { words: "functionapp config appsettings list", stdout: "" },
    { words: "functionapp deployment source config-zip" },
    { words: "functionapp show", stdout: "/id\n" },
    { words: "rest --method post" },
    { words: "functionapp restart" },
  ];
  const environment = { PACKAGE: "package.json", HEALTH_TRIES: "1", HEALTH_PAUSE_SECONDS: "0" };
  const firstRun = (responses: readonly Response[], changes: object = {}) =>
    runScript({ script, arguments: ["production", "westeurope"], environment, responses, ...changes });
  const verbs = (commands: readonly string[]) => commands.map((line) => line.split(" --")[0]);

  it("Provisions, then stops at a vault that is out of reach and says where to go on", async () => {
    const outside = { words: "keyvault secret show", status: 1, stderr: "(ForbiddenByConnection)\n" };
    const run = await firstRun([state(""), create, show, outside]);
    expect(run.status).toBe(1);
    expect(run.stdout).toBe("Phase 1 is complete (vmr-gateway-production).\n");
    expect(run.stderr).toContain("run this on a machine in the subnet runner");
    expect(run.stderr).toContain("Phase 2 stopped before anything was deployed.");
    expect(run.commands).toContain(
      "az deployment sub create --name vmr-gateway-production --location westeurope --template-file infra/main.bicep --parameters infra/environments/production.bicepparam --output none",
    );
    expect(run.commands.at(-1)).toContain("--vault-name kv-example");
  });

  it("Goes on inside the network without provisioning again, and waits for the health", async () => {
    const run = await firstRun([state("Succeeded\n"), show, secrets, ...phase2]);
    expect(verbs(run.commands)).toEqual([
      "az deployment sub list",
      "az deployment sub show",
      "az keyvault secret show",
      "az functionapp config appsettings list",
      "az functionapp deployment source config-zip",
      "az functionapp show",
      "az rest",
      "az functionapp restart",
    ]);
    expect(run.commands[4]).toContain("--resource-group rg-example --name func-example --src package.json");
    // Nothing responds at this address.
    expect([run.status, run.stderr]).toEqual([1, expect.stringContaining("did not answer")]);
  });

  it("Provisions again after a run that failed", async () => {
    const run = await firstRun([state("Failed\n"), { ...create, status: 1, stderr: "ERROR: no\n" }]);
    expect([run.status, run.stderr]).toEqual([1, "ERROR: no\n"]);
    expect(verbs(run.commands)).toEqual(["az deployment sub list", "az deployment sub create"]);
  });

  it("Asks for the package before it asks for secrets", async () => {
    const missing = { environment: { PACKAGE: "dist/no.zip" } };
    const run = await firstRun([state("Succeeded\n"), show], missing);
    expect([run.status, run.stderr]).toEqual([1, expect.stringContaining("npm run package")]);
  });

  it.each([[["production"]], [["staging", "westeurope"]]])("Refuses the arguments %j", async (args) => {
    const run = await firstRun([], { arguments: args });
    expect([run.status, run.commands]).toEqual([2, []]);
    expect(run.stderr).toContain("first-run.sh production westeurope");
  });
});

describe("infra/scripts/trust-github.sh", () => {
  const script = "infra/scripts/trust-github.sh";
  const responses: Response[] = [
    { words: "account show tenantId", stdout: "tenant\n" },
    { words: "account show id", stdout: "subscription\n" },
    { words: "group create" },
    { words: "identity create" },
    { words: "identity federated-credential create" },
    { words: "identity show principalId", stdout: "principal\n" },
    { words: "identity show clientId", stdout: "client\n" },
    { words: "role definition list", stdout: "" },
    { words: "role definition create" },
    { words: "role assignment create", times: 3 },
  ];
  const trust = (...args: string[]) => runScript({ script, arguments: args, responses });

  it("Trusts one GitHub environment, and prints its variables", async () => {
    const { status, stdout, commands } = await trust("owner/repository", "test");
    expect(status).toBe(0);
    expect(commands.find((line) => line.includes("federated-credential"))).toBe(
      "az identity federated-credential create --name github --identity-name id-vmr-deploy-test --resource-group rg-vmr-gateway-deployment --issuer https://token.actions.githubusercontent.com --subject repo:owner/repository:environment:test --audiences api://AzureADTokenExchange --output none",
    );
    const roles = commands
      .filter((line) => line.includes("role assignment"))
      .map((line) => /--role (.+) --scope (\S+)/.exec(line)?.slice(1));
    expect(roles).toEqual([
      ["Contributor", "/subscriptions/subscription"],
      ["Role Based Access Control Administrator", "/subscriptions/subscription"],
    ]);
    expect(stdout).toMatch(
      /AZURE_CLIENT_ID=client\n\s+AZURE_TENANT_ID=tenant\n\s+AZURE_SUBSCRIPTION_ID=subscription/,
    );
  });

  it("May set the lock of production, and says whom to let look for secrets", async () => {
    const { status, stderr, commands } = await trust("owner/repository", "production");
    expect(status).toBe(0);
    expect(commands.at(-1)).toContain("--role Locks Contributor --scope /subscriptions/subscription");
    expect(stderr).toContain("Add the principal principal to the group");
  });

  it("Lets pull requests read and ask what would change, and no more", async () => {
    const { status, stdout, commands } = await trust("owner/repository", "pull-request");
    expect(status).toBe(0);
    expect(commands.find((line) => line.includes("federated-credential"))).toContain(
      "--subject repo:owner/repository:pull_request ",
    );
    const definition = commands
      .find((line) => line.includes("role definition create"))
      ?.split("--role-definition ")[1];
    expect(JSON.parse(definition ?? "")).toMatchObject({
      Actions: [
        "*/read",
        "Microsoft.Resources/deployments/validate/action",
        "Microsoft.Resources/deployments/whatIf/action",
      ],
      AssignableScopes: ["/subscriptions/subscription"],
    });
    expect(commands.filter((line) => line.includes("role assignment"))).toHaveLength(1);
    expect(stdout).toContain("AZURE_WHAT_IF_CLIENT_ID=client");
  });

  it("Refuses an environment that does not exist", async () => {
    const { status, stderr, commands } = await trust("owner/repository", "staging");
    expect([status, commands]).toEqual([2, []]);
    expect(stderr).toContain("development, test, production and pull-request");
  });

  it("Stops with the error of az", async () => {
    const failing = [
      { words: "identity federated-credential create", status: 1, stderr: "ERROR: no\n" },
      ...responses,
    ];
    const run = await runScript({ script, arguments: ["owner/repository", "test"], responses: failing });
    expect([run.status, run.stderr]).toEqual([1, "ERROR: no\n"]);
    expect(run.commands.some((line) => line.includes("role assignment"))).toBe(false);
  });
});
