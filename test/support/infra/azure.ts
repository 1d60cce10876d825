/** Teams with their environments, responses of Azure to the scripts, and a package to deploy. */
import { createHash } from "node:crypto";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createArchive } from "../../../scripts/package/deployment.ts";
import { createSettingsList } from "../../../scripts/package/settings-list.ts";
import type { Response } from "./run-script.ts";

/** Two teams, whose values all differ. */
export const teams = [
  {
    environment: "test",
    folder: "test/infra/fixtures",
    subscription: "00000000-0000-4000-8000-00000000f200",
    location: "westeurope",
    group: "rg-vmr-gateway-test",
    hasGroup: false,
  },
  {
    environment: "acceptance",
    folder: "test/infra/other-fixtures",
    subscription: "00000000-0000-4000-8000-00000000f900",
    location: "northeurope",
    group: "rg-of-another-team",
    hasGroup: true,
  },
] as const;
export type Team = (typeof teams)[number];

/** Copies the project's infrastructure with the environments of a team. */
export async function createProject({ folder: environments }: Team) {
  const folder = await mkdtemp(join(tmpdir(), "vmr-project-"));
  await cp("infra", join(folder, "infra"), { recursive: true });
  await rm(join(folder, "infra", "environments"), { recursive: true });
  await cp(environments, join(folder, "infra", "environments"), { recursive: true });
  return { folder, stop: async () => rm(folder, { recursive: true, force: true }) };
}

const build = "5f0c9e2a7b41";
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
  readonly secrets?: readonly string[];
  readonly heldSecrets?: readonly string[];
}

const secretNames = ["EVENT-SINK-PASSWORD", "PLATFORM-PASSWORD", "ROOM-HOST-PIN"];
export const givenNames = (await createSettingsList())
  .split("\n")
  .flatMap((line) => /^(\w+) required$/.exec(line)?.[1] ?? []);

/** An environment that has been released before, with every secret, unless the state says otherwise. */
export function azure(environment: string, state: State = {}): Response[] {
  const { health = healthUrl, given = givenNames, secrets = secretNames, heldSecrets = secretNames } = state;
  const names = [...given, ...secrets.map((name) => name.replaceAll("-", "_")), "GIVEN_SETTING_NAMES"];
  const lines = (list: readonly string[]) => list.map((line) => `${line}\n`).join("");
  const vault = `kv-vmr-${environment}`;
  const reference = (name: string) =>
    `@Microsoft.KeyVault(SecretUri=https://${vault}.vault.example.com/secrets/${name})`;
  return [
    { to: "az version", stdout: "2.90.0\n" },
    { to: `"vmr-gateway"=='${environment}'].[name`, stdout: `func-vmr-${environment}\t${health}\n` },
    { to: "contains(value, '@Microsoft.KeyVault')", stdout: lines(secrets.map(reference)) },
    { to: "GIVEN_SETTING_NAMES", stdout: `${given.join(",")}\n` },
    { to: "appsettings list", stdout: lines(names) },
    { to: "keyvault secret list", stdout: lines(heldSecrets) },
    ...secretNames.map((name) => ({
      to: `secret show --vault-name ${vault} --name ${name} `,
      stdout: `https://${vault}.vault.example.com/secrets/${name}/version-of-${name}\n`,
    })),
    { to: "rest --method get", stdout: lines(secretNames.map((name) => `version-of-${name}`)) },
    { to: "config-zip" },
    { to: "/room/list", stdout: "401" },
    { to: "bicep build-params" },
    { to: "deployment sub create" },
    { to: "deployment group create" },
    { to: "deployment sub what-if", stdout: "{}" },
    { to: "deployment group what-if", stdout: "{}" },
  ];
}

/** Responses with which a reload finds a changed secret. */
export const changedSecret: Response[] = [
  { to: "rest --method post" },
  { to: "appsettings set" },
  { to: "rest --method get", stdout: "version-of-ROOM-HOST-PIN\nold\n" },
];

/** Writes a package with its checksum. `settings` are further lines of its settings.txt. */
export async function createPackage(settings = "") {
  const folder = await mkdtemp(join(tmpdir(), "vmr-package-"));
  const path = join(folder, "vmr-gateway.zip");
  const archive = createArchive(
    new Map([
      ["build.txt", Buffer.from(`${build}\n`)],
      ["settings.txt", Buffer.from((await createSettingsList()) + settings)],
    ]),
  );
  await writeFile(path, archive);
  const checksum = createHash("sha256").update(archive).digest("hex");
  await writeFile(`${path}.sha256`, `${checksum}  vmr-gateway.zip\n`);
  return { path, stop: async () => rm(folder, { recursive: true, force: true }) };
}

/** Changes of a team's values, and the message that refuses them. */
export const refusedValues: [string | RegExp, string, string][] = [
  ['"MAX_VMR"', '"MAX_VRM": 2, "MAX_VMR"', "GATEWAY_SETTINGS must not have: MAX_VRM."],
  ['"MAX_VMR"', '"PLATFORM_PASSWORD": "x", "MAX_VMR"', "must not have: PLATFORM_PASSWORD."],
  [/"MAX_VMR": \d+,/, "", "GATEWAY_SETTINGS lacks: MAX_VMR."],
  [/"MAX_VMR": \d+,/, '"MAX_VMR": 20.5,', "GATEWAY_SETTINGS has null or a fraction: MAX_VMR"],
  [/"MAX_VMR": \d+,/, '"MAX_VMR": null,', "GATEWAY_SETTINGS has null or a fraction: MAX_VMR"],
  [/"MAX_VMR": \d+,/, '"MAX_VMR": 20', "SyntaxError"],
  [/^AZURE_LOCATION=.*$/m, "", "AZURE_LOCATION: is missing in infra/environments/odd.env"],
  ["AZURE_ENV_NAME=odd", "AZURE_ENV_NAME=other", "AZURE_ENV_NAME in infra/environments/odd.env is not odd."],
  [/$/, "\nREQUIRE_API_MANAGEMENT_SECRET=true\n", "was withdrawn. To close the app to calls that bypass API"],
  [
    /$/,
    "\nPRIVATE_NETWORK=true\nAPI_MANAGEMENT=none\n",
    "PRIVATE_NETWORK needs API_MANAGEMENT, or the PUBLIC_URL",
  ],
  [/$/, "\nNETWORK_ADDRESS_PREFIX=10.0.0.0/24\n", "NETWORK_ADDRESS_PREFIX is too small for the subnets: /23"],
];

const others = secretNames.map((name) => (name === "PLATFORM-PASSWORD" ? `ANOTHER-${name}` : name));
const withoutMaximum = givenNames.filter((name) => name !== "MAX_VMR");
const appOf = (environment: string, stdout: string) => [
  { to: `"vmr-gateway"=='${environment}'].[name`, stdout },
  ...azure(environment),
];
/** Responses to which a release deploys nothing, and its message. */
export const releaseRefusals: [string, (environment: string) => Response[], string][] = [
  ["a secret is missing", (of) => azure(of, { heldSecrets: others }), "lacks: PLATFORM-PASSWORD. Nothing"],
  ["a setting is missing", (of) => azure(of, { given: withoutMaximum }), "not provisioned: MAX_VMR. Nothing"],
  [
    "Azure CLI is too old",
    (of) => [{ to: "az version", stdout: "2.86.1\n" }, ...azure(of)],
    "2.86.1 is too old",
  ],
  ["nothing is provisioned", (of) => appOf(of, ""), "Provision first."],
  ["an earlier version has provisioned the app", (of) => azure(of, { health: "None" }), "Provision once."],
  [
    "the first provision has failed",
    (of) => azure(of, { secrets: [] }),
    "has no settings yet. Provision first.",
  ],
  ["two apps have the tag", (of) => appOf(of, "one\thttps://x\ntwo\thttps://y\n"), "has several apps"],
];

const anotherPage = `HTTP/1.1 200 OK\r\nX-Build: ${build}\r\n\r\nWelcome`;
/** Responses with which a release fails after the upload, and its message. */
export const releaseFailures: [string, Response, string][] = [
  ["the app does not respond", { to: "/public/health", status: 22 }, "/public/health: no response."],
  ["the old code responds", alive("0123456789ab"), `build 0123456789ab responds, not only ${build}`],
  ["the response is another page", { to: "/public/health", stdout: anotherPage }, "no response."],
  ["a private operation is open", { to: "/room/list", stdout: "200" }, "returned 200 instead of 401"],
];
