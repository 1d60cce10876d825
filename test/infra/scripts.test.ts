/** The scripts of the infrastructure, with recorded responses of Azure and the values of two teams. */
import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import * as recorded from "../support/infra/azure.ts";
import { type Response, runScript } from "../support/infra/run-script.ts";
import { useStarted } from "../support/use-started.ts";

const { alive, azure, changedSecret, createPackage, givenNames, healthUrl } = recorded;
const package_ = useStarted(createPackage);

test.each(readdirSync("infra/environments"))(
  "The values in infra/environments/%s are valid",
  async (file) => {
    const words = ["infra/deploy.sh", "validate", file.replace(/\.env$/, "")];
    const { status, stderr, commands } = await runScript(words, [{ to: "bicep build-params" }]);
    expect([stderr, status]).toEqual([expect.stringMatching(/^Subscription .*\n$/), 0]);
    expect(commands).toEqual(["az bicep build-params --file infra/main.bicepparam --stdout"]);
  },
);

describe.each(recorded.teams)("With the values of $environment in $folder,", (team) => {
  const { environment, subscription, location, group, hasGroup } = team;
  const app = `func-vmr-${environment}`;
  const ofApp = `--resource-group ${group} --name ${app}`;
  /** A copy of the project's infrastructure, to which a test may add environments. */
  const project = useStarted(async () => recorded.createProject(team));
  const fileOf = (name: string) => join(project.folder, "infra", "environments", `${name}.env`);

  interface Options {
    readonly shell?: Readonly<Record<string, string>>;
    readonly failAt?: number;
  }
  /** Runs a script. `changes` are the commands that change something in Azure. */
  async function run(words: string, responses: readonly Response[], { shell = {}, ...more }: Options = {}) {
    const options = { environment: shell, folder: project.folder, ...more };
    const result = await runScript(`infra/${words}`.split(" "), responses, options);
    const isChange = (line: string) =>
      /^az .* (create|delete|config-zip|set|purge)\b|--method post/.test(line);
    return { ...result, changes: result.commands.filter(isChange) };
  }
  type Result = Awaited<ReturnType<typeof run>>;
  const released = [alive(), ...azure(environment)];
  const release = async (responses: readonly Response[], path = package_.path) =>
    run(`deploy.sh release ${environment} ${path}`, responses);

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

  /** Writes the values of a new environment: the team's, with one replacement. */
  async function writeValues(name: string, text: string | RegExp, replacement: string): Promise<void> {
    const values = await readFile(fileOf(environment), "utf8");
    const renamed = values.replace(`AZURE_ENV_NAME=${environment}`, `AZURE_ENV_NAME=${name}`);
    await writeFile(fileOf(name), renamed.replace(text, replacement));
  }

  const names = `FUNCTION_APP_NAME=${app}\nKEY_VAULT_NAME=kv-vmr-${environment}\nHEALTH_URL=${healthUrl}\n`;

  test("deploy.sh provision deploys the values, and prints what operators need", async () => {
    const result = await run(`deploy.sh provision ${environment}`, azure(environment));
    expectChanges(
      result,
      hasGroup
        ? `group create --output none --name vmr-gateway-${environment} --resource-group ${group} --template-file infra/gateway.bicep --parameters @`
        : `sub create --output none --name vmr-gateway-${environment}-${location} --location ${location} --parameters infra/main.bicepparam`,
    );
    expect(result.stdout).toBe(names);
    expect(result.stderr).toBe(`Subscription ${subscription}, group ${group}\n`);
  });

  test("Variables of the operator's shell have no effect, except those that are not the deployment's", async () => {
    const ofOther = { AZURE_RESOURCE_GROUP: "rg-production", EXISTING_WORKSPACE_ID: "/other" };
    const shell = { ...ofOther, HTTPS_PROXY: "http://proxy", AZURE_SUBSCRIPTION_ID: "other" };
    const print = Object.keys(shell).map((name) => `echo \${${name}-unset}`);
    const script = ["-c", `environment=${environment}; . infra/values.sh; ${print.join("; ")}`];
    const { stdout } = await runScript(script, [], { environment: shell, folder: project.folder });
    const used = hasGroup ? group : "unset";
    expect(stdout).toBe(`${used}\nunset\nhttp://proxy\n${subscription}\n`);
  });

  test.each(recorded.refusedValues)(
    "Refuses %s as %s before it asks Azure",
    async (text, replacement, message) => {
      await writeValues("odd", text, replacement);
      for (const command of ["provision", "what-if", "validate"]) {
        const result = await run(`deploy.sh ${command} odd`, azure("odd"));
        expectRefusal(result, message);
        expect(result.commands).toEqual([]);
      }
    },
  );

  test("Allows settings of the Functions host", async () => {
    await writeValues("host", '"MAX_VMR"', '"AzureWebJobs.collectGarbage.Disabled": "1", "MAX_VMR"');
    expectChanges(await run("deploy.sh validate host", azure("host")));
  });

  test.each(["t", "a-name-too-long", "Test", "test_1", "-test", "te--st", "../test", "nowhere"])(
    "Refuses the name %s",
    async (name) => {
      const message =
        name === "nowhere" ? "There is no" : "is 2 to 12 of a to z, 0 to 9 and single inner hyphens";
      for (const words of [`deploy.sh provision ${name}`, `teardown.sh ${name}`])
        expectRefusal(await run(words, azure(name)), message);
    },
  );

  test("deploy.sh what-if works without the right to write", async () => {
    const { status, commands } = await run(`deploy.sh what-if ${environment}`, azure(environment));
    expect(status).toBe(0);
    expect(commands.at(-1)).toContain("what-if --validation-level ProviderNoRbac --no-pretty-print");
  });

  test("deploy.sh check compares secrets and settings with the checkout or a given package, and changes nothing", async () => {
    const result = await run(`deploy.sh check ${environment}`, azure(environment));
    expectChanges(result);
    expect(result.stdout).toBe(names);
    const held = `keyvault secret list --vault-name kv-vmr-${environment} --query [?attributes.enabled]`;
    expect(result.commands.join("\n")).toContain(held);
    const newer = await createPackage("SETTING_OF_NEXT_RELEASE required\n");
    onTestFinished(newer.stop);
    const ahead = await run(`deploy.sh check ${environment} ${newer.path}`, azure(environment));
    expectRefusal(ahead, "requires settings that are not provisioned: SETTING_OF_NEXT_RELEASE.");
    const provisioned = azure(environment, { given: [...givenNames, "SETTING_OF_NEXT_RELEASE"] });
    expectChanges(await run(`deploy.sh check ${environment} ${newer.path}`, provisioned));
    const behind = await run(`deploy.sh check ${environment}`, provisioned);
    expectChanges(behind);
    expect(behind.stderr).toContain("logs settings-unknown: SETTING_OF_NEXT_RELEASE\n");
  });

  test("deploy.sh release changes only the package, and waits until its code responds", async () => {
    const fromOldInstance = { ...alive("0123456789ab"), isOnce: true };
    const result = await release([{ ...alive(), isOnce: true }, fromOldInstance, ...released]);
    const upload = `az functionapp deployment source config-zip ${ofApp} --src ${package_.path} --output none`;
    expectChanges(result, `${upload} --subscription ${subscription}`);
    expect(result.commands.filter((line) => line.startsWith("timeout 900 az "))).toHaveLength(1);
    expect(result.stdout).toContain(
      "https://rooms.example.com is alive, and refuses calls without a token.\n",
    );
    // Only the new code has responded for a minute, after the response of an old instance.
    expect(result.commands.filter((line) => line.includes("/public/health"))).toHaveLength(2 + 12);
    expect(result.commands.filter((line) => line === "sleep 5")).toHaveLength(2 + 12);
  });

  test.each(recorded.releaseRefusals)(
    "deploy.sh release deploys nothing if %s",
    async (_, responsesOf, message) => {
      expectRefusal(await release([...responsesOf(environment), alive()]), message);
    },
  );

  test("deploy.sh release refuses a package with another checksum, or of another project", async () => {
    const other = await createPackage();
    onTestFinished(other.stop);
    await writeFile(other.path, "not a zip");
    expectRefusal(await release(released, other.path), "is not the package that was tested");
    const checksum = createHash("sha256").update("not a zip").digest("hex");
    await writeFile(`${other.path}.sha256`, `${checksum}  vmr-gateway.zip\n`);
    expectRefusal(await release(released, other.path), "has no settings.txt or build.txt");
  });

  test.each(recorded.releaseFailures)("deploy.sh release fails if %s", async (_, response, message) => {
    const { status, stderr } = await release([response, ...released]);
    expect(status).toBe(1);
    expect(stderr).toContain(message);
  });

  test("deploy.sh reload lets the app read secrets again if one has changed, without cutting calls", async () => {
    const responses = [...changedSecret, alive("0123456789ab"), ...azure(environment)];
    const result = await run(`deploy.sh reload ${environment}`, responses);
    const refresh = `sites/${app}/config/configreferences/appsettings/refresh?api-version=2022-03-01`;
    const set = `appsettings set ${ofApp} --output none --settings SECRETS_READ_AT=2`;
    expectChanges(result, refresh, set);
    const ofAzure = result.commands.filter((line) => /^az (?!rest)/.test(line));
    expect(ofAzure.filter((line) => !line.includes(`--subscription ${subscription}`))).toEqual([]);
    expectChanges(await run(`deploy.sh reload ${environment}`, released));
  });

  const gone = { to: "resource list", stdout: "" };
  const existing: Response[] = [
    { to: "resource show" },
    { to: "group exists", stdout: "true\n" },
    { to: "group delete" },
    { to: "resource delete" },
    {
      to: "keyvault list-deleted",
      stdout: "kv-one\tplace\tfalse\t2030-01-01\nkv-two\tplace\tTrue\t2030-01-01\n",
    },
    { to: "keyvault purge" },
    { to: "apim deletedservice list", stdout: `apim-vmr-${environment}-1\tplace\n` },
    { to: "apim deletedservice purge" },
  ];
  const teardown = async (responses: readonly Response[], more: Options = {}) =>
    run(`teardown.sh ${environment}`, responses, { shell: { TEARDOWN_CONFIRM: environment }, ...more });
  const idOf = (type: string) => `/subscriptions/1/resourceGroups/${group}/providers/Microsoft.${type}/one`;

  test.each(["", "production", "test-2", "TEST"])(
    "teardown.sh deletes nothing with the confirmation '%s'",
    async (confirmed) => {
      const result = await teardown([], { shell: { TEARDOWN_CONFIRM: confirmed } });
      expectRefusal(result, `TEARDOWN_CONFIRM=${environment} sh infra/teardown.sh ${environment}`);
      expect(result.commands).toEqual([]);
    },
  );

  test("teardown.sh deletes what is the environment's, and purges what would block the names", async () => {
    const types = ["Network/natGateways", "Network/privateEndpoints", "Network/publicIPAddresses"];
    const sites = ["Web/serverfarms", "Web/sites", "Network/virtualNetworks", "Network/privateDnsZones"];
    const ids = [...types, ...sites].map(idOf);
    ids.push(`${idOf("Network/privateDnsZones")}/virtualNetworkLinks/one`);
    const list = { to: "resource list", stdout: `${ids.join("\n")}\n`, isOnce: true };
    const result = await teardown([list, gone, ...existing]);
    const api = `resource delete --ids /subscriptions/00000000-0000-4000-8000-00000000f901/resourceGroups/rg-common/providers/Microsoft.ApiManagement/service/apim-common/apis/vmr-gateway-${environment} `;
    const purges = [
      "keyvault purge --name kv-one --location place",
      `purge --service-name apim-vmr-${environment}-1`,
    ];
    const inOrder = [
      "Web/sites/one",
      "Web/serverfarms/one",
      "Network/privateEndpoints/one",
      "virtualNetworkLinks/one",
      "Network/privateDnsZones/one --",
      "virtualNetworks/one",
      "natGateways/one",
      "publicIPAddresses/one",
    ];
    const ownGroup = [`group delete --name ${group} --yes --subscription ${subscription}`];
    expectChanges(result, ...(hasGroup ? [api, ...inOrder] : ownGroup), ...purges);
    expect(result.stdout).toBe(`The gateway of ${environment} is gone.\n`);
    expect(result.stderr).toContain("The protected vault kv-two keeps its name until 2030-01-01");
    const queries = result.commands.join("\n");
    const listed = `--resource-group ${group} --query [?tags."vmr-gateway"=='${environment}'].id`;
    expect(queries.includes(listed)).toBe(hasGroup);
    // The name of another environment may begin in the same way. 13 characters follow it.
    const length = `apim-vmr-${environment}-`.length + 13;
    expect(queries).toContain(
      `starts_with(name, 'apim-vmr-${environment}-') && length(name) == \`${length}\``,
    );
    expect(queries).toContain(`properties.tags."vmr-gateway"=='${environment}'`);
  });

  test("teardown.sh purges and asks to be run again while something is left, and says when nothing is", async () => {
    const stuck = [{ to: "group delete", status: 1 }, { to: "resource list", stdout: "/one\n" }, ...existing];
    const result = await teardown(stuck);
    expect([result.status, result.stdout]).toEqual([1, ""]);
    expect(result.stderr).toMatch(/Run it again, perhaps tomorrow:\n(\/one|rg-vmr-gateway-test)\n$/);
    expect(result.commands.join("\n")).toContain("apim deletedservice purge");
    const empty = [{ to: "resource show", status: 3 }, { to: "exists", stdout: "false\n" }, gone];
    const again = await teardown([...empty, { to: "list" }]);
    expect([again.stdout, again.changes]).toEqual([`The gateway of ${environment} is gone.\n`, []]);
  });

  test.each([
    [`deploy.sh provision ${environment}`, azure(environment)],
    [`deploy.sh what-if ${environment}`, azure(environment)],
    [`deploy.sh release ${environment} PACKAGE`, [...changedSecret, ...released]],
    [`teardown.sh ${environment}`, [gone, ...existing]],
  ])("%s stops with the text of Azure, whichever call fails", async (words, responses) => {
    const shell = { TEARDOWN_CONFIRM: environment };
    const runIt = async (failAt: number) =>
      run(words.replace("PACKAGE", package_.path), responses, { shell, failAt });
    const whole = await runIt(0);
    expect([whole.stderr, whole.status]).toEqual([whole.stderr, 0]);
    const calls = whole.commands.filter((line) => line.startsWith("az "));
    expect(calls.length).toBeGreaterThan(0);
    for (const [index, line] of calls.entries()) {
      const { status, stderr, stdout } = await runIt(index + 1);
      expect([line, status === 0, stderr]).toEqual([line, false, expect.stringContaining("Azure failed\n")]);
      expect(stdout).not.toMatch(/is gone|is alive/);
    }
  });
});
