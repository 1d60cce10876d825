/** The two scripts of the infrastructure, with recorded responses of `az` and `curl`. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Response, runScript } from "../support/infra/run-script.ts";

const subscription = "00000000-0000-4000-8000-00000000f200";
const reference = (name: string) => `@Microsoft.KeyVault(SecretUri=https://kv.example.com/secrets/${name})`;
const outputs: Response[] = [
  { to: "outputs.FUNCTION_APP_NAME", stdout: "func-vmr-test\n" },
  { to: "outputs.KEY_VAULT_NAME", stdout: "kv-vmr-test\n" },
  { to: "outputs.HEALTH_URL", stdout: "https://rooms.example.com/public/health\n" },
];
const settings: Response = {
  to: "appsettings list",
  stdout: `${reference("PLATFORM-PASSWORD")}\n${reference("ROOM-HOST-PIN")}\n`,
};
const secrets: Response[] = [
  { to: "keyvault secret list", stdout: "ROOM-HOST-PIN\nPLATFORM-PASSWORD\nEVENT-SINK-PASSWORD\n" },
  { to: "--name PLATFORM-PASSWORD", stdout: "https://kv.example.com/secrets/PLATFORM-PASSWORD/version1\n" },
  { to: "--name ROOM-HOST-PIN", stdout: "https://kv.example.com/secrets/ROOM-HOST-PIN/version2\n" },
];
const answering: Response[] = [
  { to: "/public/health", stdout: '"alive"' },
  { to: "/room/list", stdout: "401" },
];
const unchanged: Response = { to: "rest --method get", stdout: "version1\nversion2\n" };
const package_: Response = { to: "config-zip" };

let folder = "";
let zip = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vmr-package-"));
  zip = join(folder, "vmr-gateway.zip");
  await writeFile(zip, "the package");
  const checksum = createHash("sha256").update("the package").digest("hex");
  await writeFile(`${zip}.sha256`, `${checksum}  vmr-gateway.zip\n`);
});
afterAll(async () => rm(folder, { recursive: true, force: true }));

const deploy = async (
  words: readonly string[],
  responses: readonly Response[],
  environment?: Readonly<Record<string, string>>,
) => runScript(["infra/deploy.sh", ...words], responses, environment);

describe("deploy.sh provision", () => {
  test("Deploys the parameters of the environment to its subscription every time, and fails if that fails", async () => {
    for (const status of [0, 1]) {
      const result = await deploy(["provision", "test"], [{ to: "deployment sub create", status }]);
      expect(result.status).toBe(status);
      expect(result.commands).toEqual([
        `az deployment sub create --output none --name vmr-gateway-test --location westeurope --parameters infra/main.bicepparam --subscription ${subscription}`,
      ]);
    }
  });

  test("Deploys to a team's existing group", async () => {
    const { status, commands } = await deploy(
      ["provision", "test"],
      [{ to: "bicep build-params" }, { to: "deployment group create" }],
      { AZURE_RESOURCE_GROUP: "rg-of-the-team" },
    );
    expect(status).toBe(0);
    expect(commands.at(-1)).toMatch(
      /deployment group create .*--name vmr-gateway --resource-group rg-of-the-team --template-file infra\/gateway.bicep --parameters @/,
    );
  });
});

test("deploy.sh what-if works without the right to write", async () => {
  const { status, commands } = await deploy(
    ["what-if", "test"],
    [{ to: "deployment sub what-if", stdout: "{}" }],
  );
  expect(status).toBe(0);
  expect(commands[0]).toContain("what-if --validation-level ProviderNoRbac");
});

describe("deploy.sh release", () => {
  const release = async (responses: readonly Response[], path = zip) =>
    deploy(["release", "test", path], responses);

  test("Deploys the package, leaves unchanged secrets alone, and waits for the health", async () => {
    const { status, stdout, commands } = await release([
      ...outputs,
      settings,
      ...secrets,
      package_,
      unchanged,
      ...answering,
    ]);
    expect(status).toBe(0);
    expect(stdout).toContain("https://rooms.example.com is alive");
    expect(commands.filter((line) => line.includes("config-zip"))).toHaveLength(1);
    expect(commands.filter((line) => /restart|refresh/.test(line))).toEqual([]);
  });

  test("Names the secrets that are missing, and deploys nothing", async () => {
    const { status, stderr, commands } = await release([
      ...outputs,
      settings,
      { to: "keyvault secret list", stdout: "ROOM-HOST-PIN\nANOTHER-PLATFORM-PASSWORD\n" },
      ...secrets,
    ]);
    expect(status).toBe(1);
    expect(stderr).toContain("The vault kv-vmr-test lacks: PLATFORM-PASSWORD. Nothing was deployed.");
    expect(commands.filter((line) => line.includes("config-zip"))).toEqual([]);
  });

  test("Says where to run if the vault cannot be reached", async () => {
    const { status, stderr } = await release([...outputs, settings, { to: "keyvault", status: 1 }]);
    expect(status).toBe(1);
    expect(stderr).toContain("In a private network, run this on the runner.");
  });

  test("Refuses a package with another checksum, and deploys nothing", async () => {
    const other = join(folder, "other.zip");
    await writeFile(other, "another package");
    await writeFile(`${other}.sha256`, `${"0".repeat(64)}  other.zip\n`);
    const { status, stderr, commands } = await release([...outputs, settings, ...secrets], other);
    expect(status).toBe(1);
    expect(stderr).toContain("is not the package that was tested");
    expect(commands.filter((line) => line.includes("config-zip"))).toEqual([]);
  });

  test("Fails if the environment was never provisioned, or its group is gone", async () => {
    const { status, stderr } = await release([{ to: "deployment group show", stdout: "" }]);
    expect([status, stderr]).toEqual([
      1,
      "rg-vmr-gateway-test has no outputs of a finished deployment. Provision first.\n",
    ]);
  });

  test.each([
    ["the health does not respond", [{ to: "/public/health", status: 22 }], "does not respond"],
    [
      "a private operation needs no token",
      [
        { to: "/public/health", stdout: '"alive"' },
        { to: "/room/list", stdout: "200" },
      ],
      "returned 200 instead of 401",
    ],
  ])("Fails if %s", async (_, answers, message) => {
    const { status, stderr } = await release([
      ...outputs,
      settings,
      ...secrets,
      package_,
      unchanged,
      ...answers,
    ]);
    expect(status).toBe(1);
    expect(stderr).toContain(message);
  });
});

test("deploy.sh reload lets the app read secrets again if one has changed, and restarts it", async () => {
  const { status, commands } = await deploy(
    ["reload", "test"],
    [
      ...outputs,
      settings,
      ...secrets,
      { to: "rest --method get", stdout: "version1\nold-version\n" },
      { to: "rest --method post" },
      { to: "functionapp restart" },
      ...answering,
    ],
  );
  expect(status).toBe(0);
  const site = `/subscriptions/${subscription}/resourceGroups/rg-vmr-gateway-test/providers/Microsoft.Web/sites/func-vmr-test`;
  expect(commands.filter((line) => /post|restart/.test(line))).toEqual([
    `az rest --method post --output none --uri ${site}/config/configreferences/appsettings/refresh?api-version=2022-03-01`,
    `az functionapp restart --resource-group rg-vmr-gateway-test --name func-vmr-test --subscription ${subscription}`,
  ]);
});

test("deploy.sh check names missing secrets and touches nothing", async () => {
  const { status, commands } = await deploy(["check", "test"], [...outputs, settings, ...secrets]);
  expect(status).toBe(0);
  expect(commands.filter((line) => !/ show | list /.test(line))).toEqual([]);
});

test.each([
  [[], "sh infra/deploy.sh provision <environment>"],
  [["release", "test"], "sh infra/deploy.sh provision <environment>"],
  [["provision", "nowhere"], "There is no infra/environments/nowhere.env."],
])("deploy.sh prints its usage if it is called with %j", async (words, message) => {
  const { status, stderr } = await deploy(words, []);
  expect(status).toBe(2);
  expect(stderr).toContain(message);
});

describe("teardown.sh", () => {
  const confirmed = { TEARDOWN_CONFIRM: "test" };
  const nothingLeft: Response[] = [
    { to: "keyvault list-deleted", stdout: "" },
    { to: "apim deletedservice list", stdout: "" },
  ];
  const teardown = async (responses: readonly Response[], environment: Readonly<Record<string, string>>) =>
    runScript(["infra/teardown.sh", "test"], responses, environment);

  test("Deletes nothing without confirmation", async () => {
    const { status, stderr, commands } = await teardown([], {});
    expect([status, commands]).toEqual([2, []]);
    expect(stderr).toContain("TEARDOWN_CONFIRM=test sh infra/teardown.sh test");
  });

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
      confirmed,
    );
    expect(status).toBe(0);
    expect(commands).toContain(
      `az group delete --name rg-vmr-gateway-test --yes --subscription ${subscription}`,
    );
    expect(commands.filter((line) => line.includes(" purge "))).toHaveLength(2);
    expect(stderr).toContain("The protected vault kv-two keeps its name until 2030-01-01");
  });

  test("Never deletes an existing group, only the resources with the gateway's tag", async () => {
    const { status, stderr, commands } = await teardown(
      [
        { to: "group exists", stdout: "true\n" },
        {
          to: "resource list --resource-group rg-of-the-team --tag vmr-gateway=test",
          stdout: "/one\n/two\n",
        },
        { to: "resource delete --ids /" },
        ...nothingLeft,
      ],
      { ...confirmed, AZURE_RESOURCE_GROUP: "rg-of-the-team" },
    );
    expect(commands.filter((line) => line.includes("group delete"))).toEqual([]);
    expect(commands.filter((line) => line.includes("resource delete --ids /one"))).toHaveLength(6);
    // The stub always lists them, as if they could not be deleted.
    expect([status, stderr]).toEqual([1, "Some resources could not be deleted:\n/one\n/two\n"]);
  });

  test("Continues where it stopped, and removes the API from an existing service", async () => {
    const { status, stdout, commands } = await teardown(
      [{ to: "apis/vmr-gateway-test" }, { to: "group exists", stdout: "false\n" }, ...nothingLeft],
      { ...confirmed, EXISTING_API_MANAGEMENT_ID: "/subscriptions/s/service/common" },
    );
    expect([status, stdout]).toEqual([0, "The gateway of test is gone.\n"]);
    expect(commands[0]).toContain(
      "resource delete --ids /subscriptions/s/service/common/apis/vmr-gateway-test",
    );
  });
});

describe("The shell scripts", () => {
  const checkers = [["sh", "-n"], ...(isInstalled("shellcheck") ? [["shellcheck"]] : [])];

  test.each(checkers)("Are two, and %s finds no fault in them", async (program, ...options) => {
    const scripts = (await readdir("infra", { recursive: true })).filter((name) => name.endsWith(".sh"));
    expect(scripts.toSorted()).toEqual(["deploy.sh", "teardown.sh"]);
    for (const script of scripts)
      expect(execFileSync(program ?? "", [...options, join("infra", script)], { encoding: "utf8" })).toBe("");
  });
});

function isInstalled(program: string): boolean {
  try {
    execFileSync(program, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
