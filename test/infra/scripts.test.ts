/** The scripts of the infrastructure, with recorded responses of Azure. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import * as recorded from "../support/infra/azure.ts";
import { type Response, runScript } from "../support/infra/run-script.ts";
import { temporaryFolder } from "../support/script-process.ts";
import { useStarted } from "../support/use-started.ts";

const { alive, azure, build, changedSecret, createPackage, givenNames, healthUrl, secretNames } = recorded;
const package_ = useStarted(createPackage);

interface Options {
  readonly shell?: Readonly<Record<string, string>>;
  readonly failAt?: number;
  /** The package that the word PACKAGE means. */
  readonly path?: string;
}

/** Copies the infrastructure with the values of a team. `changes` are the commands that change something in Azure. */
function useTeam(team: typeof recorded.ownGroup) {
  const project = useStarted(async () => recorded.createProject(team));
  const run = (
    words: string,
    responses: readonly Response[],
    { shell = {}, path = package_.path, ...more }: Options = {},
  ) => {
    const options = { environment: shell, folder: project.folder, ...more };
    const result = runScript(
      `infra/${words}`.split(" ").map((word) => (word === "PACKAGE" ? path : word)),
      responses,
      options,
    );
    const isChange = (line: string) =>
      /^az .* (create|delete|config-zip|set|purge)\b|--method post/.test(line);
    return { ...result, changes: result.commands.filter(isChange) };
  };
  return { ...team, project, run };
}
/** The check of the values succeeds without being run, which takes a second. */
const accepted: Response = { to: "scripts/check-values.ts" };
const own = useTeam(recorded.ownGroup);
const other = useTeam(recorded.existingGroup);
const { run, group, subscription } = own;
const ofApp = `--resource-group ${group} --name func-vmr-test`;
const released = [alive(), ...azure("test")];
const release = (responses: readonly Response[], options: Options = {}) =>
  run("deploy.sh release test PACKAGE", responses, options);

/** Expects that a script ended with an error that says this, before it changed anything. */
function expectRefusal({ status, stderr, changes }: ReturnType<typeof run>, message: string): void {
  expect([status === 0, changes]).toEqual([false, []]);
  expect(stderr).toContain(message);
}

/** Expects that a script succeeded with changes that contain these texts, in this order. */
function expectChanges({ status, stderr, changes }: ReturnType<typeof run>, ...texts: string[]): void {
  expect([stderr, status, changes]).toEqual([stderr, 0, texts.map((text) => expect.stringContaining(text))]);
}

const namesOf = (environment: string) =>
  `FUNCTION_APP_NAME=func-vmr-${environment}\nKEY_VAULT_NAME=kv-vmr-${environment}\nHEALTH_URL=${healthUrl}\n`;

test.each([
  {
    team: own,
    change:
      "sub create --output none --name vmr-gateway-test-westeurope --location westeurope --parameters infra/main.bicepparam",
  },
  {
    team: other,
    change:
      "group create --output none --name vmr-gateway-acceptance --resource-group rg-of-another-team --template-file infra/gateway.bicep --parameters @",
  },
])("`deploy.sh provision` deploys $team.environment, and prints what operators need", ({ team, change }) => {
  const { environment } = team;
  const result = team.run(`deploy.sh provision ${environment}`, azure(environment));
  expectChanges(result, change);
  expect(result.stdout).toBe(namesOf(environment));
  expect(result.stderr).toBe(`Subscription ${team.subscription}, group ${team.group}\n`);
});

test("Variables of the operator's shell have no effect, except those that are not the deployment's", () => {
  const ofOther = { AZURE_RESOURCE_GROUP: "rg-production", EXISTING_WORKSPACE_ID: "/other" };
  const environment = { ...ofOther, HTTPS_PROXY: "http://proxy", AZURE_SUBSCRIPTION_ID: "other" };
  const print = Object.keys(environment).map((name) => `echo \${${name}-unset}`);
  const script = ["-c", `environment=test; . infra/values.sh; ${print.join("; ")}`];
  const { stdout } = runScript(script, [], { environment, folder: own.project.folder });
  expect(stdout).toBe(`unset\nunset\nhttp://proxy\n${subscription}\n`);
});

/** Writes the values of the environment "odd": those of test with other settings, and with more lines. */
async function writeValues(maximum: string, lines = ""): Promise<void> {
  const folder = join(own.project.folder, "infra", "environments");
  const values = await readFile(join(folder, "test.env"), "utf8");
  const changed = values
    .replace(/"MAX_VMR": \d+,/, maximum)
    .replace("AZURE_ENV_NAME=test", "AZURE_ENV_NAME=odd");
  await writeFile(join(folder, "odd.env"), `${changed}\n${lines}\n`);
}

const maximum = '"MAX_VMR": 20,';
const unknownSetting = "GATEWAY_SETTINGS: MAX_VRM: must not be given, see infra/settings.txt";

test.each([
  ["validate", maximum, "API_MANAGMENT=new", "API_MANAGMENT: is not a variable of infra/README.md"],
  ["what-if", `${maximum} "MAX_VRM": 2,`, "", unknownSetting],
  ["provision", `${maximum} "MAX_VRM": 2,`, "", unknownSetting],
])(
  "`deploy.sh %s` refuses a fault in the settings %s or in the line '%s' before Azure is asked: %s",
  async (command, settings, lines, fault) => {
    await writeValues(settings, lines);
    const result = run(`deploy.sh ${command} odd`, []);
    expectRefusal(result, `infra/environments/odd.env: ${fault}\n`);
  },
);

const subnet = "/subscriptions/1/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v/subnets/s";
const closedApp = `PRIVATE_NETWORK=true\nEXISTING_APP_SUBNET_ID=${subnet}`;
test.each([
  { lines: "AZURE_LOCATION=", message: "AZURE_LOCATION: is missing in infra/environments/odd.env" },
  { lines: "AZURE_LOCATION=WestEurope", message: "AZURE_LOCATION in infra/environments/odd.env is not" },
  { lines: "AZURE_ENV_NAME=other", message: "AZURE_ENV_NAME in infra/environments/odd.env" },
  { lines: "PRIVATE_NETWORK=true\nAPI_MANAGEMENT=none", message: "PRIVATE_NETWORK needs API_MANAGEMENT, or" },
  { lines: closedApp, message: "needs EXISTING_ENDPOINT_SUBNET_ID" },
  {
    lines: `${closedApp}\nEXISTING_ENDPOINT_SUBNET_ID=/e`,
    message: "needs EXISTING_API_MANAGEMENT_SUBNET_ID",
  },
  { lines: "PRIVATE_NETWORK=true\nEXISTING_ENDPOINT_SUBNET_ID=/e", message: "and EXISTING_APP_SUBNET_ID" },
])("The values $lines are refused before Azure is asked: $message", async ({ lines, message }) => {
  await writeValues(maximum, lines);
  expectRefusal(run("deploy.sh validate odd", [accepted]), message);
});

test("A release and a rollback need neither Node nor correct values", async () => {
  await writeValues('"MAX_VMR": "twenty",', "API_MANAGMENT=new");
  const result = run("deploy.sh release odd PACKAGE", [alive(), ...azure("odd")]);
  expectChanges(result, "config-zip");
  expect(result.commands.filter((line) => line.startsWith("npm "))).toEqual([]);
});

test("Settings of the Functions host, and subnets for everything, are allowed", async () => {
  const subnets = `EXISTING_ENDPOINT_SUBNET_ID=${subnet}\nEXISTING_API_MANAGEMENT_SUBNET_ID=${subnet}`;
  await writeValues(
    `${maximum} "AzureWebJobs.collectGarbage.Disabled": true, "AUTH_REQUIRED_ROLE": "Zürich",`,
    `${closedApp}\n${subnets}`,
  );
  expectChanges(run("deploy.sh validate odd", azure("odd")));
});

test("`deploy.sh what-if` needs no right to write", () => {
  const { commands } = run("deploy.sh what-if test", [accepted, ...azure("test")]);
  expect(commands.join("\n")).toContain(" sub what-if --validation-level ProviderNoRbac --no-pretty-print ");
});

test.each(["a-name-too-long", "te--st", "../test"])("An environment cannot be called %s", (name) => {
  const message = "is 2 to 12 of a to z, 0 to 9 and single inner hyphens";
  expectRefusal(run(`teardown.sh ${name}`, []), message);
});

test("An environment needs a file of values", () => {
  expectRefusal(run("teardown.sh nowhere", []), "There is no infra/environments/nowhere.env");
});

test("`deploy.sh check` compares secrets and settings with the checkout or a given package, and changes nothing", async () => {
  const result = run("deploy.sh check test", azure("test"));
  expectChanges(result);
  expect(result.stdout).toBe(namesOf("test"));
  const held = "keyvault secret list --vault-name kv-vmr-test --query [?attributes.enabled]";
  expect(result.commands.join("\n")).toContain(held);
  const newer = await createPackage("SETTING_OF_NEXT_RELEASE required\n");
  onTestFinished(newer.stop);
  const ahead = run("deploy.sh check test PACKAGE", azure("test"), newer);
  expectRefusal(ahead, "requires settings that are not provisioned: SETTING_OF_NEXT_RELEASE.");
  const behind = run(
    "deploy.sh check test",
    azure("test", { given: [...givenNames, "SETTING_OF_NEXT_RELEASE"] }),
  );
  expectChanges(behind);
  expect(behind.stderr).toContain("logs settings-unknown: SETTING_OF_NEXT_RELEASE\n");
});

describe("`deploy.sh release`", () => {
  test("changes only the package, and waits until its code responds", () => {
    const fromOldInstance = { ...alive("0123456789ab"), isOnce: true };
    const result = release([{ ...alive(), isOnce: true }, fromOldInstance, ...released]);
    const upload = `az functionapp deployment source config-zip ${ofApp} --src ${package_.path} --output none`;
    expectChanges(result, `${upload} --subscription ${subscription}`);
    expect(result.commands.filter((line) => line.startsWith("timeout 900 az "))).toHaveLength(1);
    expect(result.stdout).toContain("rooms.example.com is alive, and refuses calls without a token.\n");
    // Only the new code has responded for a minute, after the response of an old instance.
    expect(result.commands.filter((line) => line.includes("/public/health"))).toHaveLength(2 + 12);
    expect(result.commands.filter((line) => line === "sleep 5")).toHaveLength(2 + 12);
  });

  test("waits for the new code if the command for the upload fails", () => {
    const failed = { to: "config-zip", status: 1 };
    const arrived = release([failed, ...released]);
    expect([arrived.status, arrived.stdout]).toEqual([0, expect.stringContaining("is alive")]);
    expect(arrived.stderr).toContain("If the package arrived");
    const lost = release([failed, alive("0123456789ab"), ...released]);
    expect([lost.status, lost.stderr]).toEqual([
      1,
      expect.stringContaining("0123456789ab responds, not only"),
    ]);
  });

  const busy = {
    to: "config-zip",
    status: 1,
    stdout: "There may be an ongoing deployment. Please track it.\n",
  };

  test("repeats an upload that Azure refuses because another one runs", () => {
    const once = { ...busy, isOnce: true };
    const result = release([once, once, once, ...released]);
    expectChanges(result, ...Array.from({ length: 4 }, () => "config-zip"));
    expect(result.commands.filter((line) => line === "sleep 20")).toHaveLength(3);
    expect(result.stdout).toContain("is alive");
  });

  test("gives up after 10 minutes of another upload, and does not wait for its own code", () => {
    const { status, stderr, commands } = release([busy, ...released]);
    expect([status, stderr]).toEqual([1, expect.stringContaining("for 10 minutes. Nothing was deployed.\n")]);
    expect(commands.filter((line) => line === "sleep 20")).toHaveLength(29);
    expect(commands.join("\n")).not.toContain("/public/health");
  });

  const others = secretNames.map((name) => (name === "PLATFORM-PASSWORD" ? `ANOTHER-${name}` : name));
  const withoutMaximum = givenNames.filter((name) => name !== "MAX_VMR");
  const appOf = (stdout: string) => [{ to: `"vmr-gateway"=='test'].[name`, stdout }, ...azure("test")];
  const tooOld = [{ to: "az version", stdout: "2.9.1\n" }, ...azure("test")];
  test.each([
    { message: "lacks: PLATFORM-PASSWORD. Nothing", responses: azure("test", { heldSecrets: others }) },
    { message: "not provisioned: MAX_VMR. Nothing", responses: azure("test", { given: withoutMaximum }) },
    { message: "2.9.1 is too old", responses: tooOld },
    { message: "has no app of test. Provision first.", responses: appOf("") },
    {
      message: "does not name its health check. Provision once.",
      responses: azure("test", { health: "None" }),
    },
    { message: "has several apps of test: one two.", responses: appOf("one\thttps://x\ntwo\thttps://y\n") },
  ])("deploys nothing, and says: $message", ({ message, responses }) => {
    expectRefusal(release([...responses, alive()]), message);
  });

  test("checks the package with a sha256sum without long options, as BusyBox has it", async () => {
    const folder = await temporaryFolder();
    const path = process.env["PATH"];
    const real = 'if command -v sha256sum >/dev/null; then sha256sum "$@"; else shasum -a 256 "$@"; fi';
    const stub = `#!/bin/sh\ncase $* in *--*) exit 1 ;; esac\nPATH='${path}'\n${real}\n`;
    await writeFile(join(folder, "sha256sum"), stub, { mode: 0o755 });
    vi.stubEnv("PATH", `${folder}:${path}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    expectChanges(run("deploy.sh check test PACKAGE", azure("test")));
  });

  test("refuses a package with another checksum, or of another project", async () => {
    const changed = await createPackage();
    onTestFinished(changed.stop);
    await writeFile(changed.path, "");
    expectRefusal(release(released, changed), "is not the package that was tested");
    const ofNothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    await writeFile(`${changed.path}.sha256`, `${ofNothing}  vmr-gateway.zip\n`);
    expectRefusal(release(released, changed), "has no settings.txt or build.txt");
  });

  test.each<{ message: string; response: Response }>([
    { message: "/public/health: no response.", response: { to: "/public/health", status: 22 } },
    { message: `0123456789ab responds, not only ${build}`, response: alive("0123456789ab") },
    { message: "returned 200 instead of 401", response: { to: "/room/list", stdout: "200" } },
  ])("fails, and says: $message", ({ message, response }) => {
    const { status, stderr } = release([response, ...released]);
    expect([status, stderr]).toEqual([1, expect.stringContaining(message)]);
  });
});

test("`deploy.sh reload` lets the app read secrets again if one has changed, without cutting calls", () => {
  const responses = [...changedSecret, alive("0123456789ab"), ...azure("test")];
  const result = run("deploy.sh reload test", responses);
  const refresh = "sites/func-vmr-test/config/configreferences/appsettings/refresh?api-version=2022-03-01";
  // The other order would leave nothing to do for a second run after a failure in between.
  expectChanges(result, `appsettings set ${ofApp} --output none --settings SECRETS_READ_AT=2`, refresh);
  const ofAzure = result.commands.filter((line) => /^az (?!rest)/.test(line));
  expect(ofAzure.filter((line) => !line.includes(`--subscription ${subscription}`))).toEqual([]);
  expectChanges(run("deploy.sh reload test", released));
});

const gone = { to: "resource list --resource-group", stdout: "" };
/** What is deleted in the subscription: by this team, and by others whose environments have the same name. */
function deletedBy({ subscription: of, group: by }: typeof own): Response[] {
  const idIn = (groupId: string, type: string) => `${groupId}/providers/Microsoft.${type}`;
  const ours = `/subscriptions/${of}/resourceGroups/${by.toUpperCase()}`;
  const others = [`/subscriptions/${of}/resourceGroups/${by}-2`, `/subscriptions/other/resourceGroups/${by}`];
  const vaults = [
    `${idIn(ours, "KeyVault/vaults/kv-one")}\tvault\tkv-one\tplace\tfalse\t2030-01-01\n`,
    `${idIn(ours, "KeyVault/vaults/kv-two")}\tvault\tkv-two\tplace\tTrue\t2030-01-01\n`,
    ...others.map((id) => `${idIn(id, "KeyVault/vaults/kv-o")}\tvault\tkv-o\tplace\tNone\t2030-01-01\n`),
    "None\tvault\tkv-without-id\tplace\tNone\t2030-01-01\n",
  ];
  const services = [
    `${idIn(ours, "ApiManagement/service/apim-vmr-1")}\tservice\tapim-vmr-1\tplace\n`,
    ...others.map((id) => `${idIn(id, "ApiManagement/service/apim-o")}\tservice\tapim-o\tplace\n`),
    "None\tservice\tapim-without-id\tplace\n",
  ];
  return [
    { to: "keyvault list-deleted --resource-type vault --output tsv --query [?", stdout: vaults.join("") },
    { to: "apim deletedservice list --output tsv --query [?", stdout: services.join("") },
  ];
}
const existing = (team: typeof own): Response[] => [
  { to: "apis/vmr-gateway-acceptance --api-version 2024-05-01 --output none" },
  { to: "group exists --name rg-", stdout: "true\n" },
  { to: "group delete" },
  { to: "resource delete --ids /" },
  { to: "keyvault purge" },
  { to: "apim deletedservice purge" },
  ...deletedBy(team),
];
const purges = [
  "keyvault purge --name kv-one --location place",
  "purge --service-name apim-vmr-1 --location place",
];
const teardown = ({ environment, run: runIt }: typeof own, responses: readonly Response[]) =>
  runIt(`teardown.sh ${environment}`, responses, { shell: { TEARDOWN_CONFIRM: environment } });

describe("`teardown.sh`", () => {
  test.each(["", "test-2", "TEST"])("deletes nothing with the confirmation '%s'", (confirmed) => {
    const live = "/subscriptions/1/resourceGroups/g/providers/Microsoft.KeyVault/vaults/kv-live";
    const responses = [{ to: "resource list", stdout: `${live}\n/other\n` }, ...existing(own)];
    const result = run("teardown.sh test", responses, { shell: { TEARDOWN_CONFIRM: confirmed } });
    expectRefusal(result, "TEARDOWN_CONFIRM=test sh infra/teardown.sh test");
    // What a confirmed run will purge. It prints the same before it deletes anything.
    const named = result.stderr.match(/(?<=^\/.*\/)[\w-]+$/gm);
    expect(named).toEqual(["kv-live", "kv-one", "kv-two", "apim-vmr-1"]);
  });

  test("deletes the group that provisioning has created, and purges what would block the names", () => {
    const result = teardown(own, [gone, ...existing(own)]);
    const deletion = `group delete --name ${group} --yes --subscription ${subscription}`;
    expectChanges(result, deletion, ...purges);
    expect(result.stdout).toBe("The gateway of test is gone.\n");
    expect(result.stderr).toContain("The protected vault kv-two keeps its name until 2030-01-01");
    const queries = result.commands.join("\n");
    // The name of another environment may begin in the same way. 13 characters follow it.
    expect(queries).toContain("starts_with(name, 'apim-vmr-test-') && length(name) == `27`");
    expect(queries).toContain(`properties.tags."vmr-gateway"=='test'].[properties.vaultId, 'vault', name, `);
    expect(queries).toContain("[serviceId, 'service', name, location]");
    expect(queries).toContain(`group exists --name ${group} --output tsv --subscription ${subscription}\n`);
  });

  test("deletes only what is the environment's from a group that existed, children and users first", () => {
    const first = ["Web/sites/one", "Web/serverfarms/one", "Network/privateEndpoints/one"];
    const zone = "Network/privateDnsZones/one";
    const users = ["Network/virtualNetworks/one", "Network/natGateways/one"];
    const network = [...users, "Network/publicIPAddresses/one", "Network/networkSecurityGroups/one"];
    const inOrder = [...first, `${zone}/virtualNetworkLinks/one`, zone, ...network];
    const ids = inOrder.map((type) => `/subscriptions/1/resourceGroups/g/providers/Microsoft.${type}\n`);
    const list = { to: "resource list", stdout: ids.toSorted().join(""), isOnce: true };
    const result = teardown(other, [list, gone, ...existing(other)]);
    const ofApi = "service/apim-common/apis/vmr-gateway-acceptance --api-version 2024-05-01 ";
    expectChanges(
      result,
      ofApi,
      ...inOrder.map(
        (type) =>
          `resource delete --ids /subscriptions/1/resourceGroups/g/providers/Microsoft.${type} --output none`,
      ),
      ...purges,
    );
    const listed = `--resource-group rg-of-another-team --query [?tags."vmr-gateway"=='acceptance'].id --output tsv`;
    expect(result.commands.join("\n")).toContain(listed);
  });

  test("deletes the resources of a team that may not list what is deleted in the subscription", () => {
    const list = { to: "resource list", stdout: "/one\n", isOnce: true };
    const result = teardown(other, [list, gone, { to: "list-deleted", status: 1 }, ...existing(other)]);
    expect([result.status, result.changes.slice(1)]).toEqual([1, [expect.stringContaining("--ids /one ")]]);
    expect(result.stderr).toContain("keep their names, because deleted ones cannot be listed.\n");
  });

  test.each([own, other])(
    "purges and asks to be run again while something of $environment is left, and says when nothing is",
    (team) => {
      const stuck = [
        { to: "group delete", status: 1 },
        { to: "resource list", stdout: "/one\n" },
        ...existing(team),
      ];
      const result = teardown(team, stuck);
      expect([result.status, result.stdout]).toEqual([1, ""]);
      expect(result.stderr).toMatch(/Run it again, perhaps tomorrow:\n(\/one|rg-vmr-gateway-test)\n$/);
      expect(result.changes.slice(-2)).toEqual(purges.map((purge) => expect.stringContaining(purge)));
      const empty = [{ to: "resource show", status: 3 }, { to: "exists", stdout: "false\n" }, { to: "list" }];
      const again = teardown(team, empty);
      expect([again.stdout, again.changes]).toEqual([`The gateway of ${team.environment} is gone.\n`, []]);
    },
  );
});

describe("`create-identity.sh`", () => {
  const words = "create-identity.sh owner/name production /subscriptions/other westeurope";
  const ofGitHub = { to: "gh api repos/owner/name/actions/oidc/customization/sub", stdout: "repo:o@1/n@2\n" };
  const responses: Response[] = [
    { to: "account show --query", stdout: "1234 Default\n" },
    { to: "identity show", stdout: "principal-1\n" },
    { to: "identity create --name id-vmr-deploy-production" },
    { to: "federated-credential create" },
    { to: "role assignment create" },
    { to: "group create --name rg-vmr-gateway-deployment --location westeurope" },
  ];
  const created = ["identity create", "federated-credential create", "role assignment", "role assignment"];

  test.each([
    { group: "an existing group", exists: "true", prefix: "repo:o@1/n@2", more: [] },
    { group: "a new group", exists: "false", prefix: "", more: ["group create"] },
  ])("makes the identity in $group of the subscription that it names", ({ exists, prefix, more }) => {
    const found = { to: "group exists", stdout: `${exists}\n` };
    const result = run(words, [{ ...ofGitHub, stdout: `${prefix}\n` }, found, ...responses]);
    expectChanges(result, ...more, ...created);
    expect(result.stderr).toBe("Subscription 1234 Default, group rg-vmr-gateway-deployment\n");
    const subject = `${prefix || "repo:owner/name"}:environment:production`;
    expect(result.commands.join("\n")).toContain(`--subject ${subject} `);
    expect(result.stdout).toContain(`Subject: ${subject}\n`);
  });

  test("changes nothing without a scope, which Azure CLI can take for its whole subscription", () => {
    const withoutScope = words.replace("/subscriptions/other", "");
    const found = { to: "group exists", stdout: "true\n" };
    expectRefusal(run(withoutScope, [ofGitHub, found, ...responses]), "Usage: sh infra/create-identity.sh");
  });

  test("changes nothing if GitHub's CLI fails", () => {
    const found = { to: "group exists", stdout: "true\n" };
    const result = run(words, [{ ...ofGitHub, status: 4 }, found, ...responses]);
    expectRefusal(result, "Subscription 1234 Default");
  });
});

test.each([
  { words: "deploy.sh what-if test", team: own, responses: [accepted, ...azure("test")] },
  { words: "deploy.sh release test PACKAGE", team: own, responses: [...changedSecret, ...released] },
  { words: "teardown.sh test", team: own, responses: [gone, ...existing(own)] },
  {
    words: "deploy.sh provision acceptance",
    team: other,
    responses: [accepted, ...azure("acceptance")],
  },
  { words: "teardown.sh acceptance", team: other, responses: [gone, ...existing(other)] },
])("`$words` stops with the text of Azure, whichever call fails", ({ words, team, responses }) => {
  const runIt = (failAt: number) =>
    team.run(words, responses, {
      shell: { TEARDOWN_CONFIRM: team.environment },
      failAt,
    });
  const whole = runIt(0);
  expect([whole.stderr, whole.status]).toEqual([whole.stderr, 0]);
  const calls = whole.commands.filter((line) => line.startsWith("az "));
  expect(calls.length).toBeGreaterThan(0);
  for (const [index, line] of calls.entries()) {
    // A failed upload is followed by the script's own wait.
    if (line.includes("config-zip")) continue;
    const { status, stderr, stdout } = runIt(index + 1);
    expect([line, status === 0, stderr]).toEqual([line, false, expect.stringContaining("Azure failed\n")]);
    expect(stdout).not.toMatch(/is gone|is alive/);
  }
});
