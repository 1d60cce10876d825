/** The scripts of the infrastructure, with recorded responses of Azure. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import * as recorded from "../support/infra/azure.ts";
import { type Response, runScript } from "../support/infra/run-script.ts";
import { useStarted } from "../support/use-started.ts";

const { alive, azure, build, createPackage, givenNames, secretNames, subscription } = recorded;
type Variables = Readonly<Record<string, string>>;
const package_ = useStarted(createPackage);
/** A copy of the project's infrastructure, to which a test may add environments. */
const project = useStarted(async () => {
  const folder = await mkdtemp(join(tmpdir(), "vmr-project-"));
  await cp("infra", join(folder, "infra"), { recursive: true });
  return { folder, stop: async () => rm(folder, { recursive: true, force: true }) };
});
const inEnvironments = (name: string) => join(project.folder, "infra", "environments", `${name}.env`);

/** Runs a script. `changes` are the commands that change something in Azure. */
async function run(
  words: string,
  responses: readonly Response[],
  environment: Variables = {},
  stubs?: string[],
) {
  const options = { environment, folder: project.folder, ...(stubs && { stubs }) };
  const result = await runScript(`infra/${words}`.split(" "), responses, options);
  const isChange = (line: string) => / (create|delete|config-zip|restart|purge)\b|--method post/.test(line);
  return { ...result, changes: result.commands.filter(isChange) };
}
type Result = Awaited<ReturnType<typeof run>>;
const release = async (responses: readonly Response[], path = package_.path) =>
  run(`deploy.sh release test ${path}`, responses);

/** Expects that a script ended with an error that says this, before it changed anything. */
function expectRefusal({ status, stderr, changes }: Result, message: string): void {
  expect([status === 0, changes]).toEqual([false, []]);
  expect(stderr).toContain(message);
}

/** Expects that a script succeeded with changes that contain these texts, in this order. */
function expectChanges({ status, stderr, changes }: Result, ...texts: readonly string[]): void {
  expect([stderr, status, changes.length]).toEqual([stderr, 0, texts.length]);
  for (const [index, text] of texts.entries()) expect(changes[index]).toContain(text);
}

/** Writes the values of a new environment: those of test, with one replacement. Returns its name. */
async function valuesOf(name: string, text: string, replacement: string): Promise<string> {
  const values = (await readFile(inEnvironments("test"), "utf8")).replace(text, replacement);
  await writeFile(inEnvironments(name), values.replace("AZURE_ENV_NAME=test", `AZURE_ENV_NAME=${name}`));
  return name;
}
const inTeamsGroup = ["AZURE_LOCATION", "AZURE_RESOURCE_GROUP=rg-of-the-team\nAZURE_LOCATION"] as const;

describe("deploy.sh provision", () => {
  test("Deploys the parameters of the environment every time, and prints what operators need", async () => {
    const result = await run("deploy.sh provision test", azure());
    const options = "--name vmr-gateway-test --location westeurope --parameters infra/main.bicepparam";
    expectChanges(result, `deployment sub create --output none ${options} --subscription ${subscription}`);
    const values = "FUNCTION_APP_NAME=func-vmr-test\nKEY_VAULT_NAME=kv-vmr-test\n";
    expect(result.stdout).toBe(`${values}HEALTH_URL=${recorded.healthUrl}\nFIRST_RUN=false\n`);
    expect(result.stderr.split("\n")[0]).toBe(`Subscription ${subscription}, group rg-vmr-gateway-test`);
  });

  test.each(recorded.firstRunStates)("Recognises a first run: %s", async (_, responses, isFirst) => {
    const shell = { FIRST_RUN: "true" };
    const { stdout, stderr } = await run("deploy.sh provision test", [...responses, ...azure()], shell);
    expect(stdout).toContain(`FIRST_RUN=${isFirst}\n`);
    expect(stderr.includes("Without alerts so far")).toBe(isFirst === "true");
  });

  test("Deploys to a team's group beside other environments, and names them", async () => {
    const name = await valuesOf("test-2", ...inTeamsGroup);
    const tags = { to: "resource list", stdout: "test\ntest-2\nNone\n\ntest\n" };
    const more = [tags, { to: "bicep build-params" }, { to: "deployment group create" }];
    const result = await run(`deploy.sh provision ${name}`, [...more, ...azure({ environment: name })]);
    const options =
      "--name vmr-gateway-test-2 --resource-group rg-of-the-team --template-file infra/gateway.bicep";
    expectChanges(result, `deployment group create --output none ${options} --parameters @`);
    expect(result.stderr).toContain("The group also has the environments: test\n");
  });

  test("Unsets the deployment's variables of the operator's shell, and keeps the others", async () => {
    const ofOther = { AZURE_RESOURCE_GROUP: "rg-production", EXISTING_WORKSPACE_ID: "/other" };
    const shell = { ...ofOther, HTTPS_PROXY: "http://proxy", AZURE_SUBSCRIPTION_ID: "other" };
    const print = Object.keys(shell)
      .map((name) => `echo \${${name}-unset}`)
      .join("; ");
    const script = ["-c", `environment=test; . infra/values.sh; ${print}`];
    const { stdout } = await runScript(script, [], { environment: shell, folder: project.folder });
    expect(stdout).toBe(`unset\nunset\nhttp://proxy\n${subscription}\n`);
    const { commands } = await run("deploy.sh provision test", azure(), shell);
    expect(commands.filter((line) => /rg-production|other/.test(line))).toEqual([]);
  });

  test.each(recorded.refusedValues)(
    "Refuses %s as %s before it asks Azure",
    async (text, replacement, message) => {
      const name = await valuesOf("odd", text, replacement);
      for (const command of ["provision", "what-if", "validate"]) {
        const result = await run(`deploy.sh ${command} ${name}`, azure());
        expectRefusal(result, message);
        expect(result.commands).toEqual([]);
      }
    },
  );

  test("Allows settings of the Functions host", async () => {
    const name = await valuesOf(
      "host",
      '"MAX_VMR"',
      '"AzureWebJobs.collectGarbage.Disabled": "1", "MAX_VMR"',
    );
    const { status, commands } = await run(`deploy.sh validate ${name}`, [{ to: "bicep build-params" }]);
    expect([status, commands]).toEqual([0, ["az bicep build-params --file infra/main.bicepparam --stdout"]]);
  });

  test.each(["t", "a-name-too-long", "Test", "test_1", "-test", "te--st", "../test", "nowhere"])(
    "Refuses the name %s",
    async (name) => {
      const message =
        name === "nowhere" ? "There is no" : "is 2 to 12 of a to z, 0 to 9 and single inner hyphens";
      for (const words of [`deploy.sh provision ${name}`, `teardown.sh ${name}`])
        expectRefusal(await run(words, azure()), message);
    },
  );
});

test("deploy.sh what-if works without the right to write", async () => {
  const { status, commands } = await run("deploy.sh what-if test", [
    { to: "appsettings", status: 1 },
    ...azure(),
  ]);
  expect(status).toBe(0);
  expect(commands.at(-1)).toContain("what-if --validation-level ProviderNoRbac");
});

describe("deploy.sh check", () => {
  test("Prints what operators need, and changes nothing", async () => {
    const result = await run("deploy.sh check test", azure());
    expectChanges(result);
    const names = result.stdout.split("\n").map((line) => line.split("=")[0]);
    expect(names).toEqual(["FUNCTION_APP_NAME", "KEY_VAULT_NAME", "HEALTH_URL", ""]);
    expect(result.commands.join("\n")).toContain(
      "keyvault secret list --vault-name kv-vmr-test --query [?attributes.enabled]",
    );
  });

  test("Names the secret of API Management in the first run, whose settings do not refer to it yet", async () => {
    const secrets = secretNames.slice(0, 3);
    const result = await run("deploy.sh check test", azure({ secrets, heldSecrets: secrets }));
    expectRefusal(result, "The vault kv-vmr-test lacks: API-MANAGEMENT-SECRET. Nothing was deployed.");
  });

  test("Compares the settings with those that the checkout or a given package knows", async () => {
    const newer = await createPackage("SETTING_OF_NEXT_RELEASE required\n");
    onTestFinished(newer.stop);
    const ahead = await run(`deploy.sh check test ${newer.path}`, azure());
    expectRefusal(ahead, "requires settings that are not provisioned: SETTING_OF_NEXT_RELEASE.");
    const provisioned = azure({ given: [...givenNames, "SETTING_OF_NEXT_RELEASE"] });
    expectChanges(await run(`deploy.sh check test ${newer.path}`, provisioned));
    const behind = await run("deploy.sh check test", provisioned);
    expectChanges(behind);
    expect(behind.stderr).toContain("logs settings-unknown: SETTING_OF_NEXT_RELEASE\n");
  });
});

describe("deploy.sh release", () => {
  const app = "--resource-group rg-vmr-gateway-test --name func-vmr-test";
  const upload = `timeout 900 az functionapp deployment source config-zip ${app}`;

  test("Changes only the package, and waits until its code responds", async () => {
    const result = await release([alive(), ...azure()]);
    expectChanges(result, `${upload} --src ${package_.path} --output none --subscription ${subscription}`);
    expect(result.stdout).toBe("https://rooms.example.com is alive, and refuses calls without a token.\n");
    expect(result.stderr).not.toContain("provision once more");
    expect(result.commands.filter((line) => line.includes("/public/health"))).toHaveLength(12);
    expect(result.commands.filter((line) => line === "sleep 5")).toHaveLength(12);
  });

  test("Says after the first release that the environment is not complete", async () => {
    const result = await release([
      alive(),
      recorded.noFunctions,
      ...azure({ secrets: secretNames.slice(0, 3) }),
    ]);
    expectChanges(result, upload);
    expect(result.stderr).toContain("provision once more, for the alerts and the secret");
  });

  test.each(recorded.releaseRefusals)("Deploys nothing if %s", async (_, responses, message) => {
    expectRefusal(await release([...responses, alive()]), message);
  });

  test("Deploys nothing if the package has another checksum or is not one of this project", async () => {
    const other = await createPackage();
    onTestFinished(other.stop);
    await writeFile(other.path, "not a zip");
    expectRefusal(await release(azure(), other.path), "is not the package that was tested");
    const checksum = createHash("sha256").update("not a zip").digest("hex");
    await writeFile(`${other.path}.sha256`, `${checksum}  vmr-gateway.zip\n`);
    expectRefusal(await release(azure(), other.path), "has no settings.txt or build.txt");
  });

  test.each(recorded.releaseFailures)("Fails if %s", async (_, response, message) => {
    const { status, stderr } = await release([response, alive(), ...azure()]);
    expect(status).toBe(1);
    expect(stderr).toContain(message);
  });

  test("Ends only when the old one of two instances has been gone for a minute", async () => {
    let requests = 0;
    const server = createServer((request, response) => {
      if (request.url !== "/public/health") return void response.writeHead(401).end();
      requests += 1;
      // Every third call reaches the old instance as long as it runs.
      const isOld = requests % 3 === 0 && requests <= 9;
      response.setHeader("X-Build", isOld ? "0123456789ab" : build).end('{"status":"alive"}');
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/public/health`;
    const responses = [{ to: "outputs.healthUrl.value", stdout: `${url}\n` }, ...azure()];
    const words = `deploy.sh release test ${package_.path}`;
    const result = await run(words, responses, { NO_PROXY: "127.0.0.1" }, ["az", "sleep"]);
    expect([result.status, requests]).toEqual([0, 9 + 12]);
  });
});

test("deploy.sh reload lets the app read secrets again if one has changed, and restarts it", async () => {
  const commands = [{ to: "rest --method post" }, { to: "functionapp restart" }, alive("0123456789ab")];
  const used = { to: "rest --method get", stdout: "version-of-ROOM-HOST-PIN\nold\n" };
  const refresh = "sites/func-vmr-test/config/configreferences/appsettings/refresh?api-version=2022-03-01";
  const restart = "az functionapp restart --resource-group rg-vmr-gateway-test --name func-vmr-test";
  expectChanges(await run("deploy.sh reload test", [...commands, used, ...azure()]), refresh, restart);
  expectChanges(await run("deploy.sh reload test", [alive(), ...azure()]));
});

describe("teardown.sh", () => {
  const exists = { to: "group exists", stdout: "true\n" };
  const nothingDeleted = ["keyvault list-deleted", "apim deletedservice list"].map((to) => ({
    to,
    stdout: "",
  }));
  const teardown = async (responses: readonly Response[], name = "test", confirmed = name) =>
    run(`teardown.sh ${name}`, responses, { TEARDOWN_CONFIRM: confirmed, AZURE_RESOURCE_GROUP: "rg-others" });

  test.each(["", "production", "test-2", "TEST"])(
    "Deletes nothing with the confirmation '%s'",
    async (confirmed) => {
      const result = await teardown([], "test", confirmed);
      expectRefusal(result, "TEARDOWN_CONFIRM=test sh infra/teardown.sh test");
      expect(result.commands).toEqual([]);
    },
  );

  test("Deletes its own group, and purges what would block the names", async () => {
    const vaults = "kv-one\twesteurope\tfalse\t2030-01-01\nkv-two\twesteurope\tTrue\t2030-01-01\n";
    const result = await teardown([
      exists,
      { to: "group delete" },
      { to: "keyvault list-deleted", stdout: vaults },
      { to: "keyvault purge" },
      { to: "apim deletedservice list", stdout: "apim-vmr-test-1\twesteurope\n" },
      { to: "apim deletedservice purge" },
    ]);
    const purges = [
      "keyvault purge --name kv-one --location",
      "purge --service-name apim-vmr-test-1 --location",
    ];
    expectChanges(
      result,
      `group delete --name rg-vmr-gateway-test --yes --subscription ${subscription}`,
      ...purges,
    );
    expect(result.stderr).toContain("The protected vault kv-two keeps its name until 2030-01-01");
    // apim-vmr-test-2-<13 characters> belongs to another environment, whose name begins in the same way.
    const queries = result.commands.join("\n");
    const length = "apim-vmr-test-".length + 13;
    expect(queries).toContain(`starts_with(name, 'apim-vmr-test-') && length(name) == \`${length}\``);
    expect(queries).toContain(`tags."vmr-gateway"=='test'`);
  });

  test("Never deletes an existing group, only the resources with the environment's tag", async () => {
    const name = await valuesOf("team", ...inTeamsGroup);
    const tagged = {
      to: "resource list --resource-group rg-of-the-team --tag vmr-gateway=team ",
      stdout: "/one\n",
    };
    const deletion = { to: "resource delete --ids /one " };
    // The stub always lists it, as if it could not be deleted.
    const stuck = await teardown([exists, tagged, deletion], name);
    expect([stuck.status, stuck.changes.length]).toEqual([1, 6]);
    expect(stuck.stderr).toContain("Some resources could not be deleted:\n/one\n");
    const gone = [exists, { ...tagged, stdout: "" }, { to: "deployment group delete" }, ...nothingDeleted];
    const record = "deployment group delete --resource-group rg-of-the-team --name vmr-gateway-team";
    expectChanges(await teardown(gone, name), record);
  });

  test("Continues where it stopped, and removes the API from an existing service", async () => {
    const name = await valuesOf("shared", "API_MANAGEMENT=new", "EXISTING_API_MANAGEMENT_ID=/common");
    const result = await teardown(
      [{ to: "apis" }, { ...exists, stdout: "false\n" }, ...nothingDeleted],
      name,
    );
    expectChanges(result, "resource delete --ids /common/apis/vmr-gateway-shared --api-version");
    expect(result.stdout).toBe("The gateway of shared is gone.\n");
  });
});
