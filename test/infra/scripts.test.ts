/** The scripts of the infrastructure, with recorded responses of Azure. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFile, cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  alive,
  azure,
  build,
  createPackage,
  givenNames,
  outputName,
  secretNames,
  subscription,
} from "../support/infra/azure.ts";
import { type Response, runScript } from "../support/infra/run-script.ts";
import { useStarted } from "../support/use-started.ts";

const package_ = useStarted(createPackage);
/** A copy of the project's infrastructure, to which a test may add environments. */
const project = useStarted(async () => {
  const folder = await mkdtemp(join(tmpdir(), "vmr-project-"));
  await cp("infra", join(folder, "infra"), { recursive: true });
  return { folder, stop: async () => rm(folder, { recursive: true, force: true }) };
});
const run = async (
  words: readonly string[],
  responses: readonly Response[],
  environment: Readonly<Record<string, string>> = {},
) => runScript(words, responses, { environment, folder: project.folder });
const site = `/subscriptions/${subscription}/resourceGroups/rg-vmr-gateway-test/providers/Microsoft.Web/sites/func-vmr-test`;
const deploy = async (
  words: readonly string[],
  responses: readonly Response[],
  environment: Readonly<Record<string, string>> = {},
) => run(["infra/deploy.sh", ...words], responses, environment);
const release = async (responses: readonly Response[], path = package_.path) =>
  deploy(["release", "test", path], responses);
const changes = (commands: readonly string[]) =>
  commands.filter((line) => / (create|delete|config-zip|restart|purge)\b|--method post/.test(line));

/** Writes the values of a new environment: those of test with changes. Returns its name. */
async function valuesOf(name: string, changesOf: (text: string) => string) {
  const folder = join(project.folder, "infra", "environments");
  const text = await readFile(join(folder, "test.env"), "utf8");
  const changed = changesOf(text).replace("AZURE_ENV_NAME=test", `AZURE_ENV_NAME=${name}`);
  await writeFile(join(folder, `${name}.env`), changed);
  return name;
}

test("Azure does not keep the case of output names like FUNCTION_APP_NAME", () => {
  const recorded = {
    FUNCTION_APP_NAME: "functioN_APP_NAME",
    AZURE_RESOURCE_GROUP: "azurE_RESOURCE_GROUP",
    HEALTH_URL: "healtH_URL",
    functionAppName: "functionAppName",
  };
  expect(Object.keys(recorded).map(outputName)).toEqual(Object.values(recorded));
});

describe("deploy.sh provision", () => {
  test("Deploys the parameters of the environment every time, and prints what operators need", async () => {
    const { status, stdout, stderr, commands } = await deploy(["provision", "test"], azure());
    expect([status, changes(commands)]).toEqual([
      0,
      [
        `az deployment sub create --output none --name vmr-gateway-test --location westeurope --parameters infra/main.bicepparam --subscription ${subscription}`,
      ],
    ]);
    expect(stdout.split("\n")).toEqual([
      "FUNCTION_APP_NAME=func-vmr-test",
      "KEY_VAULT_NAME=kv-vmr-test",
      "HEALTH_URL=https://rooms.example.com/public/health",
      "FIRST_RUN=false",
      "",
    ]);
    expect(stderr.split("\n")[0]).toBe(`Subscription ${subscription}, group rg-vmr-gateway-test`);
    expect(
      (await deploy(["provision", "test"], [{ to: "deployment sub create", status: 1 }, ...azure()])).status,
    ).toBe(1);
  });

  test.each([
    [
      "the app has no functions",
      [
        { to: "function list", stdout: "" },
        { to: "appsettings list", stdout: "MAX_VMR\n" },
      ],
      "true",
    ],
    ["there is no group", [{ to: "functionapp list", status: 3 }], "true"],
    ["there is no app", [{ to: "functionapp list", stdout: "" }], "true"],
    ["the app has functions", [], "false"],
    [
      "an app that was complete has no functions, because it does not start",
      [{ to: "function list", stdout: "" }],
      "false",
    ],
    [
      "the functions cannot be listed",
      [
        { to: "function list", status: 1 },
        { to: "appsettings list", stdout: "" },
      ],
      "false",
    ],
  ])("Is a first run or not: %s", async (_, responses, isFirst) => {
    const { stdout, stderr } = await deploy(["provision", "test"], [...responses, ...azure()], {
      FIRST_RUN: "true",
    });
    expect(stdout).toContain(`FIRST_RUN=${isFirst}\n`);
    expect(stderr.includes("Without alerts so far")).toBe(isFirst === "true");
  });

  test("Deploys to a team's group beside other environments, and names them", async () => {
    const name = await valuesOf("test-2", (text) => `${text}AZURE_RESOURCE_GROUP=rg-of-the-team\n`);
    const { status, stderr, commands } = await deploy(
      ["provision", name],
      [
        { to: "resource list", stdout: "test\ntest-2\nNone\n\ntest\n" },
        { to: "bicep build-params" },
        { to: "deployment group create" },
        ...azure(),
      ],
    );
    expect([status, changes(commands)]).toEqual([
      0,
      [
        expect.stringMatching(
          /deployment group create .*--name vmr-gateway-test-2 --resource-group rg-of-the-team --template-file infra\/gateway.bicep --parameters @/,
        ),
      ],
    ]);
    expect(stderr).toContain("The group also has the environments: test\n");
  });

  test("Leaves variables of the operator's shell behind, and nothing else", async () => {
    const shell = {
      AZURE_RESOURCE_GROUP: "rg-vmr-gateway-production",
      EXISTING_WORKSPACE_ID: "/subscriptions/other",
      REQUIRE_API_MANAGEMENT_SECRET: "false",
      HTTPS_PROXY: "http://proxy.example.com",
      AZURE_SUBSCRIPTION_ID: "other",
    };
    const report =
      'for name in AZURE_RESOURCE_GROUP EXISTING_WORKSPACE_ID REQUIRE_API_MANAGEMENT_SECRET HTTPS_PROXY AZURE_SUBSCRIPTION_ID; do eval "echo $name=\\${$name-unset}"; done';
    const { stdout } = await run(["-c", `environment=test; . infra/values.sh; ${report}`], [], shell);
    expect(stdout.split("\n")).toEqual([
      "AZURE_RESOURCE_GROUP=unset",
      "EXISTING_WORKSPACE_ID=unset",
      "REQUIRE_API_MANAGEMENT_SECRET=true",
      "HTTPS_PROXY=http://proxy.example.com",
      `AZURE_SUBSCRIPTION_ID=${subscription}`,
      "",
    ]);
    const { commands } = await deploy(["provision", "test"], azure(), shell);
    expect(commands.filter((line) => /production|other/.test(line))).toEqual([]);
  });

  test.each([
    ['"MAX_VMR": 20,', '"MAX_VMR": 20, "MAX_VRM": 2,', "GATEWAY_SETTINGS must not have: MAX_VRM."],
    ['"MAX_VMR": 20,', '"MAX_VMR": 20, "PLATFORM_PASSWORD": "secret",', "must not have: PLATFORM_PASSWORD."],
    ['"MAX_VMR": 20,', "", "GATEWAY_SETTINGS lacks: MAX_VMR."],
    ['"MAX_VMR": 20,', '"MAX_VMR": 20.5,', "GATEWAY_SETTINGS has null or a fraction: MAX_VMR"],
    ['"MAX_VMR": 20,', '"MAX_VMR": null,', "GATEWAY_SETTINGS has null or a fraction: MAX_VMR"],
    ['"MAX_VMR": 20,', '"MAX_VMR": 20', "SyntaxError"],
    ["AZURE_LOCATION=westeurope", "", "AZURE_LOCATION: is missing in infra/environments/odd.env"],
  ])("Refuses %s as %s before it asks Azure", async (text, replacement, message) => {
    const name = await valuesOf("odd", (values) => values.replace(text, replacement));
    for (const command of ["provision", "what-if", "validate"]) {
      const { status, stderr, commands } = await deploy([command, name], azure());
      expect([status === 0, commands]).toEqual([false, []]);
      expect(stderr).toContain(message);
      expect(stderr).not.toContain('secret"');
    }
  });

  test("Allows settings of the Functions host", async () => {
    const name = await valuesOf("host", (text) =>
      text.replace('"MAX_VMR"', '"AzureWebJobs.collectGarbage.Disabled": "true", "MAX_VMR"'),
    );
    const { status, commands } = await deploy(
      ["validate", name],
      [{ to: "bicep build-params --file infra/main.bicepparam" }],
    );
    expect([status, commands]).toEqual([0, ["az bicep build-params --file infra/main.bicepparam --stdout"]]);
  });

  test.each(["t", "a-name-too-long", "Test", "test_1", "-test", "te--st", "../test", ""])(
    "Refuses the name '%s'",
    async (name) => {
      for (const script of [
        ["infra/deploy.sh", "provision", name],
        ["infra/teardown.sh", name],
      ]) {
        const { status, stderr, commands } = await run(script, azure());
        expect([status, commands]).toEqual([2, []]);
        expect(stderr).toContain("is 2 to 12 of a to z, 0 to 9 and single inner hyphens");
      }
    },
  );

  test("Refuses a copied file that still has the other environment's name", async () => {
    const folder = join(project.folder, "infra", "environments");
    await copyFile(join(folder, "test.env"), join(folder, "test2.env"));
    const { status, stderr } = await deploy(["provision", "test2"], azure());
    expect([status, stderr]).toEqual([
      2,
      expect.stringContaining("AZURE_ENV_NAME in infra/environments/test2.env is not test2."),
    ]);
  });
});

test("deploy.sh what-if works without the right to write", async () => {
  const { status, commands } = await deploy(
    ["what-if", "test"],
    [{ to: "appsettings list", status: 1 }, ...azure()],
  );
  expect([status, commands.at(-1)]).toEqual([
    0,
    expect.stringContaining("what-if --validation-level ProviderNoRbac"),
  ]);
});

describe("deploy.sh check", () => {
  test("Prints what operators need, and changes nothing", async () => {
    const { status, stdout, commands } = await deploy(["check", "test"], azure());
    expect([status, changes(commands)]).toEqual([0, []]);
    expect(stdout.split("\n")).toEqual([
      "FUNCTION_APP_NAME=func-vmr-test",
      "KEY_VAULT_NAME=kv-vmr-test",
      "HEALTH_URL=https://rooms.example.com/public/health",
      "",
    ]);
  });

  test("Names the secret of API Management in the first run, whose settings do not refer to it yet", async () => {
    const secrets = secretNames.slice(0, 3);
    const { status, stderr } = await deploy(["check", "test"], azure({ secrets, heldSecrets: secrets }));
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining("The vault kv-vmr-test lacks: API-MANAGEMENT-SECRET. Nothing was deployed."),
    ]);
  });

  test("Compares the settings with the code, or with that of a package", async () => {
    const newer = await createPackage("SETTING_OF_NEXT_RELEASE required\n");
    onTestFinished(newer.stop);
    const ahead = await deploy(["check", "test", newer.path], azure());
    expect([ahead.status, ahead.stderr]).toEqual([
      1,
      expect.stringContaining("requires settings that are not provisioned: SETTING_OF_NEXT_RELEASE."),
    ]);
    const provisioned = azure({ given: [...givenNames, "SETTING_OF_NEXT_RELEASE"] });
    expect(await deploy(["check", "test", newer.path], provisioned)).toMatchObject({ status: 0 });
    const behind = await deploy(["check", "test"], provisioned);
    expect([behind.status, behind.stderr]).toEqual([
      0,
      expect.stringContaining("logs settings-unknown: SETTING_OF_NEXT_RELEASE\n"),
    ]);
  });
});

describe("deploy.sh release", () => {
  test("Deploys the package, leaves unchanged secrets alone, and waits for its code", async () => {
    const { status, stdout, stderr, commands } = await release([alive(), ...azure()]);
    expect([status, changes(commands)]).toEqual([
      0,
      [
        `az functionapp deployment source config-zip --resource-group rg-vmr-gateway-test --name func-vmr-test --src ${package_.path} --output none --subscription ${subscription}`,
      ],
    ]);
    expect(stdout).toBe("https://rooms.example.com is alive, and refuses calls without a token.\n");
    expect(stderr).not.toContain("provision once more");
    expect(commands.filter((line) => line.includes("/public/health"))).toHaveLength(12);
    expect(commands.filter((line) => line === "sleep 5")).toHaveLength(12);
  });

  test("Says after the first release that the environment is not complete", async () => {
    const first = azure({ functions: "", secrets: secretNames.slice(0, 3) });
    const { status, stderr } = await release([alive(), ...first]);
    expect([status, stderr]).toEqual([
      0,
      expect.stringContaining("provision once more, for the alerts and the secret"),
    ]);
  });

  test.each([
    [
      "a secret is missing",
      azure({
        heldSecrets: [
          "ROOM-HOST-PIN",
          "ANOTHER-PLATFORM-PASSWORD",
          "EVENT-SINK-PASSWORD",
          "API-MANAGEMENT-SECRET",
        ],
      }),
      "lacks: PLATFORM-PASSWORD. Nothing was deployed.",
    ],
    [
      "the vault cannot be reached",
      [{ to: "keyvault", status: 1 }, ...azure()],
      "In a private network, run this on the runner.",
    ],
    [
      "a required setting is missing",
      azure({ given: givenNames.filter((name) => name !== "MAX_VMR") }),
      "not provisioned: MAX_VMR. Nothing was deployed.",
    ],
    ["Azure CLI is too old", azure({ cli: "2.86.1" }), "Azure CLI 2.86.1 is too old"],
    [
      "the environment was never provisioned",
      [{ to: "deployment group show", stdout: "" }],
      "has no outputs of a finished deployment of test. Provision first.",
    ],
  ])("Deploys nothing if %s", async (_, responses, message) => {
    const { status, stderr, commands } = await release([...responses, alive()]);
    expect([status, changes(commands)]).toEqual([1, []]);
    expect(stderr).toContain(message);
  });

  test("Deploys nothing if the package has another checksum or is not one of this project", async () => {
    const other = await createPackage();
    onTestFinished(other.stop);
    await writeFile(`${other.path}.sha256`, `${"0".repeat(64)}  vmr-gateway.zip\n`);
    const changed = await release(azure(), other.path);
    expect([changed.status, changes(changed.commands), changed.stderr]).toEqual([
      1,
      [],
      expect.stringContaining("is not the package that was tested"),
    ]);
    await writeFile(other.path, "not a zip");
    const checksum = createHash("sha256").update("not a zip").digest("hex");
    await writeFile(`${other.path}.sha256`, `${checksum}  vmr-gateway.zip\n`);
    const strange = await release(azure(), other.path);
    expect([strange.status, changes(strange.commands), strange.stderr]).toEqual([
      1,
      [],
      expect.stringContaining("has no settings.txt or build.txt"),
    ]);
  });

  test("Rolls back to a package that does not know a setting, and says so", async () => {
    const { status, stderr, commands } = await release([
      alive(),
      ...azure({ given: [...givenNames, "SETTING_OF_NEXT_RELEASE"] }),
    ]);
    expect([status, changes(commands)]).toHaveLength(2);
    expect(status).toBe(0);
    expect(stderr).toContain(
      "The code does not know these settings, and logs settings-unknown: SETTING_OF_NEXT_RELEASE",
    );
  });

  test.each([
    [
      "the upload fails",
      [{ to: "config-zip", status: 1 }],
      "The upload failed or took more than 15 minutes.",
    ],
    [
      "the app does not respond",
      [{ to: "/public/health", status: 22 }],
      "rooms.example.com/public/health: no response.",
    ],
    ["the old code responds", [alive("0123456789ab")], `build 0123456789ab responds, not only ${build}`],
    [
      "the response is another page",
      [{ to: "/public/health", stdout: `HTTP/1.1 200 OK\r\nX-Build: ${build}\r\n\r\nWelcome` }],
      "no response.",
    ],
    [
      "a private operation needs no token",
      [{ to: "/room/list", stdout: "200" }],
      "returned 200 instead of 401",
    ],
  ])("Fails if %s", async (_, responses, message) => {
    const { status, stderr } = await release([...responses, alive(), ...azure()]);
    expect([status, stderr]).toEqual([1, expect.stringContaining(message)]);
  });

  test.each([
    ["ends only when the old instance has been gone for a minute", 9, 0],
    ["fails if the old instance stays", Number.POSITIVE_INFINITY, 1],
  ])("With two instances, it %s", async (_, oldRequests, expected) => {
    let requests = 0;
    const server = createServer((request, response) => {
      if (request.url !== "/public/health") return void response.writeHead(401).end();
      requests += 1;
      // Every third call reaches the old instance as long as it runs.
      const isOld = requests % 3 === 0 && requests <= oldRequests;
      response.setHeader("X-Build", isOld ? "0123456789ab" : build);
      response.end('{"status":"alive"}');
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/public/health`;
    const { status, stderr } = await runScript(
      ["infra/deploy.sh", "release", "test", package_.path],
      [{ to: "outputs.healthUrl.value", stdout: `${url}\n` }, ...azure()],
      { stubs: ["az", "sleep"], environment: { NO_PROXY: "127.0.0.1" } },
    );
    expect([status, requests]).toEqual([expected, expected === 0 ? 9 + 12 : 30]);
    expect(stderr.includes("Look for 'Invalid settings'")).toBe(expected !== 0);
  });
});

test("deploy.sh reload lets the app read secrets again if one has changed, and restarts it", async () => {
  const changed: Response[] = [{ to: "rest --method post" }, { to: "functionapp restart" }];
  const { status, commands } = await deploy(
    ["reload", "test"],
    [...changed, alive("0123456789ab"), ...azure({ used: "version-of-ROOM-HOST-PIN\nold\n" })],
  );
  expect([status, changes(commands)]).toEqual([
    0,
    [
      `az rest --method post --output none --uri ${site}/config/configreferences/appsettings/refresh?api-version=2022-03-01`,
      `az functionapp restart --resource-group rg-vmr-gateway-test --name func-vmr-test --subscription ${subscription}`,
    ],
  ]);
  const same = await deploy(["reload", "test"], [alive(), ...azure()]);
  expect([same.status, changes(same.commands)]).toEqual([0, []]);
});

test.each([[[]], [["release", "test"]], [["provision"]], [["undo", "test"]]])(
  "deploy.sh prints its usage if it is called with %j",
  async (words) => {
    const { status, stderr } = await deploy(words, []);
    expect([status, stderr]).toEqual([
      2,
      expect.stringContaining("sh infra/deploy.sh provision <environment>"),
    ]);
  },
);

describe("teardown.sh", () => {
  const nothingLeft: Response[] = [
    { to: "keyvault list-deleted", stdout: "" },
    { to: "apim deletedservice list", stdout: "" },
  ];
  const teardown = async (responses: readonly Response[], confirmed: string, name = "test") =>
    run(["infra/teardown.sh", name], responses, {
      TEARDOWN_CONFIRM: confirmed,
      AZURE_RESOURCE_GROUP: "rg-of-others",
    });

  test.each(["", "production", "test-2", "TEST"])(
    "Deletes nothing with the confirmation '%s'",
    async (confirmed) => {
      const { status, stderr, commands } = await teardown([], confirmed);
      expect([status, commands]).toEqual([2, []]);
      expect(stderr).toContain("TEARDOWN_CONFIRM=test sh infra/teardown.sh test");
    },
  );

  test("Deletes its own group, and purges what would block the names", async () => {
    const { status, stderr, commands } = await teardown(
      [
        { to: "group exists", stdout: "true\n" },
        { to: "group delete" },
        {
          to: "keyvault list-deleted",
          stdout: "kv-one\twesteurope\tfalse\t2030-01-01\nkv-two\twesteurope\tTrue\t2030-01-01\n",
        },
        { to: "keyvault purge --name kv-one" },
        { to: "apim deletedservice list", stdout: "apim-vmr-test-1\twesteurope\n" },
        { to: "apim deletedservice purge --service-name apim-vmr-test-1" },
      ],
      "test",
    );
    expect([status, changes(commands)]).toEqual([
      0,
      [
        `az group delete --name rg-vmr-gateway-test --yes --subscription ${subscription}`,
        expect.stringContaining("keyvault purge --name kv-one --location westeurope"),
        expect.stringContaining(
          "apim deletedservice purge --service-name apim-vmr-test-1 --location westeurope",
        ),
      ],
    ]);
    expect(stderr).toContain("The protected vault kv-two keeps its name until 2030-01-01");
    // apim-vmr-test-2-<13 characters> belongs to another environment, whose name begins in the same way.
    const query = commands.find((line) => line.includes("deletedservice list")) ?? "";
    expect(query).toContain(
      `starts_with(name, 'apim-vmr-test-') && length(name) == \`${"apim-vmr-test-".length + 13}\``,
    );
    expect(commands.find((line) => line.includes("list-deleted"))).toContain(`tags."vmr-gateway"=='test'`);
  });

  test("Never deletes an existing group, only the resources with the environment's tag", async () => {
    const name = await valuesOf("team", (text) => `${text}AZURE_RESOURCE_GROUP=rg-of-the-team\n`);
    const responses = [
      { to: "group exists", stdout: "true\n" },
      { to: "resource list --resource-group rg-of-the-team --tag vmr-gateway=team", stdout: "/one\n/two\n" },
      { to: "resource delete --ids /" },
    ];
    const { status, stderr, commands } = await teardown([...responses, ...nothingLeft], name, name);
    expect(commands.filter((line) => line.includes("group delete"))).toEqual([]);
    expect(commands.filter((line) => line.includes("resource delete --ids /one"))).toHaveLength(6);
    // The stub always lists them, as if they could not be deleted.
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining("Some resources could not be deleted:\n/one\n/two\n"),
    ]);
    const [exists, , remove] = responses as [Response, Response, Response];
    const gone = await teardown(
      [
        exists,
        { to: "resource list", stdout: "" },
        remove,
        { to: "deployment group delete" },
        ...nothingLeft,
      ],
      name,
      name,
    );
    expect([gone.status, changes(gone.commands)]).toEqual([
      0,
      [
        expect.stringContaining(
          "deployment group delete --resource-group rg-of-the-team --name vmr-gateway-team",
        ),
      ],
    ]);
  });

  test("Continues where it stopped, and removes the API from an existing service", async () => {
    const name = await valuesOf(
      "shared",
      (text) => `${text}EXISTING_API_MANAGEMENT_ID=/subscriptions/s/service/common\n`,
    );
    const { status, stdout, commands } = await teardown(
      [{ to: "apis/vmr-gateway-shared" }, { to: "group exists", stdout: "false\n" }, ...nothingLeft],
      name,
      name,
    );
    expect([status, stdout]).toEqual([0, "The gateway of shared is gone.\n"]);
    expect(changes(commands)).toEqual([
      expect.stringContaining(
        "resource delete --ids /subscriptions/s/service/common/apis/vmr-gateway-shared",
      ),
    ]);
  });
});

const isInstalled = (program: string): boolean => {
  try {
    execFileSync(program, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

test.each([["sh", "-n"], ...(isInstalled("shellcheck") ? [["shellcheck", "--external-sources"]] : [])])(
  "%s finds no fault in the scripts",
  async (program, ...options) => {
    const scripts = (await readdir("infra", { recursive: true })).filter((name) => name.endsWith(".sh"));
    expect(scripts.toSorted()).toEqual(["deploy.sh", "teardown.sh", "values.sh"]);
    for (const script of scripts)
      expect(execFileSync(program ?? "", [...options, join("infra", script)], { encoding: "utf8" })).toBe("");
  },
);
