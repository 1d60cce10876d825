/** Responses of Azure to the commands of deploy.sh, as they were recorded elsewhere, and a package to deploy. */
import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createArchive } from "../../../scripts/package/deployment.ts";
import { createSettingsList } from "../../../scripts/package/settings-list.ts";
import type { Response } from "./run-script.ts";
import { snapshotOf } from "./snapshots.ts";

export const subscription = "00000000-0000-4000-8000-00000000f200";
export const build = "5f0c9e2a7b41";

export const healthUrl = "https://rooms.example.com/public/health";
const values: Readonly<Record<string, string>> = {
  functionAppName: "func-vmr-test",
  keyVaultName: "kv-vmr-test",
  healthUrl,
};
const reference = (name: string) => `@Microsoft.KeyVault(SecretUri=https://kv.example.com/secrets/${name})`;

/** The response of the health check, as curl prints it with its headers. */
export const alive = (of = build): Response => ({
  to: "/public/health",
  stdout: `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Build: ${of}\r\n\r\n{"status":"alive"}`,
});

interface State {
  readonly environment?: string;
  /** The app settings that `provision` has written, beside the secrets. Those of the values file unless given. */
  readonly given?: readonly string[];
  readonly secrets?: readonly string[];
  readonly heldSecrets?: readonly string[];
}

export const secretNames = [
  "EVENT-SINK-PASSWORD",
  "PLATFORM-PASSWORD",
  "ROOM-HOST-PIN",
  "API-MANAGEMENT-SECRET",
];
export const givenNames = (await createSettingsList())
  .split("\n")
  .flatMap((line) => /^(\w+) required$/.exec(line)?.[1] ?? []);

/** An environment that has been released before, with every secret, unless the state says otherwise. */
export function azure({
  environment = "test",
  given = givenNames,
  secrets = secretNames,
  heldSecrets = secretNames,
}: State = {}): Response[] {
  const names = [...given, ...secrets.map((name) => name.replaceAll("-", "_")), "GIVEN_SETTING_NAMES"];
  const lines = (list: readonly string[]) => list.map((line) => `${line}\n`).join("");
  // The outputs that the template has. A missing one is an empty line.
  const outputs = Object.keys(snapshotOf("existing").outputs).map((name) => ({
    to: `--name vmr-gateway-${environment} --query properties.outputs.${name}.value`,
    stdout: `${values[name] ?? ""}\n`,
  }));
  return [
    { to: "az version", stdout: "2.90.0\n" },
    ...outputs,
    { to: `--name vmr-gateway-${environment} --query properties.outputs.`, stdout: "" },
    { to: `"vmr-gateway"=='${environment}'].name`, stdout: "func-vmr-test\n" },
    { to: "functionapp function list", stdout: "healthCheck\n" },
    { to: "contains(value, '@Microsoft.KeyVault')", stdout: lines(secrets.map(reference)) },
    { to: "GIVEN_SETTING_NAMES", stdout: `${given.join(",")}\n` },
    { to: "appsettings list", stdout: lines(names) },
    { to: "keyvault secret list", stdout: lines(heldSecrets) },
    ...secretNames.map((name) => ({
      to: `secret show --vault-name kv-vmr-test --name ${name} `,
      stdout: `https://kv.example.com/secrets/${name}/version-of-${name}\n`,
    })),
    { to: "rest --method get", stdout: lines(secretNames.map((name) => `version-of-${name}`)) },
    { to: "config-zip" },
    { to: "/room/list", stdout: "401" },
    { to: "deployment sub create" },
    { to: "deployment sub what-if", stdout: "{}" },
  ];
}

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
  await writeFile(
    `${path}.sha256`,
    `${createHash("sha256").update(archive).digest("hex")}  vmr-gateway.zip\n`,
  );
  return { path, stop: async () => rm(folder, { recursive: true, force: true }) };
}

/** Responses to the commands of docs/deployment.md. Commands without a response of their own succeed and print nothing. */
export const guideAnswers: Response[] = [
  { to: "actions/oidc/customization/sub --jq .sub_claim_prefix", stdout: "repo:owner@1/name@2\n" },
  { to: "identity show", stdout: "principal-1\n" },
  { to: "group exists", stdout: "true\n" },
  { to: "keyvault list-deleted" },
  alive(),
  ...azure(),
  ...azure({ environment: "development" }),
  { to: "" },
];

/** The app has no functions. */
export const noFunctions = { to: "function list", stdout: "" };
const incomplete = { to: "appsettings list", stdout: "MAX_VMR\n" };
/** States of the app, and whether a provision is then a first run. */
export const firstRunStates: [string, Response[], string][] = [
  ["the app has no functions", [noFunctions, incomplete], "true"],
  ["there is no group", [{ to: "functionapp list", status: 3 }], "true"],
  ["there is no app", [{ to: "functionapp list", stdout: "" }], "true"],
  ["the app has functions", [incomplete], "false"],
  ["an app that was complete does not start", [noFunctions], "false"],
];

/** Changes of the values of test, and the message that refuses them. */
export const refusedValues: [string, string, string][] = [
  ['"MAX_VMR": 20,', '"MAX_VMR": 20, "MAX_VRM": 2,', "GATEWAY_SETTINGS must not have: MAX_VRM."],
  ['"MAX_VMR": 20,', '"MAX_VMR": 20, "PLATFORM_PASSWORD": "x",', "must not have: PLATFORM_PASSWORD."],
  ['"MAX_VMR": 20,', "", "GATEWAY_SETTINGS lacks: MAX_VMR."],
  ['"MAX_VMR": 20,', '"MAX_VMR": 20.5,', "GATEWAY_SETTINGS has null or a fraction: MAX_VMR"],
  ['"MAX_VMR": 20,', '"MAX_VMR": null,', "GATEWAY_SETTINGS has null or a fraction: MAX_VMR"],
  ['"MAX_VMR": 20,', '"MAX_VMR": 20', "SyntaxError"],
  ["AZURE_LOCATION=westeurope", "", "AZURE_LOCATION: is missing in infra/environments/odd.env"],
  ["=test\n", "=production\n", "AZURE_ENV_NAME in infra/environments/odd.env is not odd."],
];

const others = secretNames.map((name) => (name === "PLATFORM-PASSWORD" ? `ANOTHER-${name}` : name));
const withoutMaximum = givenNames.filter((name) => name !== "MAX_VMR");
const neverProvisioned = [{ to: "deployment group show", stdout: "" }];
/** Responses to which a release deploys nothing, and its message. */
export const releaseRefusals: [string, Response[], string][] = [
  ["a secret is missing", azure({ heldSecrets: others }), "lacks: PLATFORM-PASSWORD. Nothing"],
  [
    "a setting is missing",
    azure({ given: withoutMaximum }),
    "not provisioned: MAX_VMR. Nothing was deployed.",
  ],
  ["Azure CLI is too old", [{ to: "az version", stdout: "2.86.1\n" }, ...azure()], "2.86.1 is too old"],
  [
    "nothing is provisioned",
    neverProvisioned,
    "no outputs of a finished deployment of test. Provision first.",
  ],
];

const anotherPage = `HTTP/1.1 200 OK\r\nX-Build: ${build}\r\n\r\nWelcome`;
/** Responses with which a release fails after the upload, and its message. */
export const releaseFailures: [string, Response, string][] = [
  ["the app does not respond", { to: "/public/health", status: 22 }, "/public/health: no response."],
  ["the old code responds", alive("0123456789ab"), `build 0123456789ab responds, not only ${build}`],
  ["the response is another page", { to: "/public/health", stdout: anotherPage }, "no response."],
  ["a private operation is open", { to: "/room/list", stdout: "200" }, "returned 200 instead of 401"],
];
