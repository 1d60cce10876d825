/** Teams with their environments, responses of Azure to the scripts, and a package to deploy. */
import { cp, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { checksumFile, createArchive } from "../../../scripts/package/deployment.ts";
import { createSettingsList } from "../../../scripts/package/settings-list.ts";
import type { Response } from "./run-script.ts";

/** Two teams, whose values all differ. Only the first one may create its group. */
export const ownGroup = {
  environment: "test",
  folder: "test/infra/fixtures",
  subscription: "00000000-0000-4000-8000-00000000f200",
  group: "rg-vmr-gateway-test",
};
export const existingGroup: typeof ownGroup = {
  environment: "acceptance",
  folder: "test/infra/other-fixtures",
  subscription: "00000000-0000-4000-8000-00000000f900",
  group: "rg-of-another-team",
};

/** Copies the project's infrastructure with the environments of a team, beside the code that checks their values. */
export async function createProject({ folder: environments }: typeof ownGroup) {
  const folder = await mkdtemp(join(tmpdir(), "vmr-project-"));
  await cp("infra", join(folder, "infra"), { recursive: true });
  await rm(join(folder, "infra", "environments"), { recursive: true });
  await cp(environments, join(folder, "infra", "environments"), { recursive: true });
  for (const name of ["node_modules", "scripts", "src"]) await symlink(resolve(name), join(folder, name));
  return { folder, stop: async () => rm(folder, { recursive: true, force: true }) };
}

export const build = "5f0c9e2a7b41";
export const healthUrl = "https://rooms.example.com/public/health";

/** The response of the health check, as curl prints it with its headers. */
export const alive = (of = build): Response => ({
  to: "/public/health",
  stdout: `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Build: ${of}\r\n\r\n{"status":"alive"}`,
});

interface State {
  /** What the tag of the app says. */
  readonly health?: string;
  /** The app settings that `provision` has written, beside the secrets. The required ones unless given. */
  readonly given?: readonly string[];
  readonly heldSecrets?: readonly string[];
}

const settings = await createSettingsList();
/** The secrets of an environment that gives PLATFORM_USERNAME. */
export const secretNames = [
  ...settings.matchAll(/^(\w+) (?:required vault|optional vault PLATFORM_USERNAME)$/gm),
].map(([, name = ""]) => name.replaceAll("_", "-"));
export const givenNames = settings.split("\n").flatMap((line) => /^(\w+) required$/.exec(line)?.[1] ?? []);

const readVersions =
  "appsettings?api-version=2022-03-01 --query value[?properties.status=='Resolved'].properties.activeVersion --output tsv";

/** An environment that has been released before, with every secret, unless the state says otherwise. */
export function azure(environment: string, state: State = {}): Response[] {
  const { health = healthUrl, given = givenNames, heldSecrets = secretNames } = state;
  const names = [...given, ...secretNames.map((name) => name.replaceAll("-", "_")), "GIVEN_SETTING_NAMES"];
  const lines = (list: readonly string[]) => list.map((line) => `${line}\n`).join("");
  const vault = `kv-vmr-${environment}`;
  const group =
    environment === existingGroup.environment ? existingGroup.group : `rg-vmr-gateway-${environment}`;
  const ofApp = `--resource-group ${group} --name func-vmr-${environment}`;
  const listSettings = `functionapp config appsettings list ${ofApp} --query`;
  const buildParameters = "bicep build-params --file infra/main.bicepparam";
  const urlOf = (name: string) => `https://${vault}.vault.example.com/secrets/${name}`;
  return [
    { to: `az version --query "azure-cli" --output tsv`, stdout: "2.100.0\n" },
    {
      to: `functionapp list --resource-group ${group} --output tsv --query [?tags."vmr-gateway"=='${environment}'].[name, `,
      stdout: `func-vmr-${environment}\t${health}\n`,
    },
    {
      to: `${listSettings} [?contains(value, '@Microsoft.KeyVault')].value --output tsv`,
      stdout: lines(secretNames.map((name) => `@Microsoft.KeyVault(SecretUri=${urlOf(name)})`)),
    },
    {
      to: `${listSettings} [?name=='GIVEN_SETTING_NAMES'].value --output tsv`,
      stdout: `${given.join(",")}\n`,
    },
    { to: `${listSettings} [].name --output tsv`, stdout: lines(names) },
    {
      to: `keyvault secret list --vault-name ${vault} --query [?attributes.enabled].name --output tsv`,
      stdout: lines(heldSecrets),
    },
    ...secretNames.map((name) => ({
      to: `secret show --vault-name ${vault} --name ${name} --query id --output tsv`,
      stdout: `${urlOf(name)}/version-of-${name}\n`,
    })),
    {
      to: "rest --method get --uri /subscriptions/",
      stdout: lines(secretNames.map((name) => `version-of-${name}`)),
    },
    { to: "config-zip" },
    { to: "/room/list", stdout: "401" },
    { to: `${buildParameters} --outfile /` },
    { to: `${buildParameters} --stdout` },
    { to: "deployment sub create" },
    { to: "deployment group create" },
    { to: "deployment sub what-if", stdout: "{}" },
  ];
}

/** Responses with which a reload finds a changed secret. */
export const changedSecret: Response[] = [
  { to: `rest --method post --output none --uri /subscriptions/` },
  { to: "appsettings set" },
  { to: readVersions, stdout: "version-of-ROOM-HOST-PIN\nold\n" },
];

/** Writes a package with its checksum. `more` are further lines of its settings.txt. */
export async function createPackage(more = "") {
  const folder = await mkdtemp(join(tmpdir(), "VMR package für [1] "));
  const path = join(folder, "vmr-gateway.zip");
  const files = { "build.txt": `${build}\n`, "settings.txt": settings + more };
  const archive = createArchive(
    new Map(Object.entries(files).map(([file, text]) => [file, Buffer.from(text)])),
  );
  await writeFile(path, archive);
  await writeFile(`${path}.sha256`, checksumFile(archive));
  return { path, stop: async () => rm(folder, { recursive: true, force: true }) };
}
