/** Writes infra/snapshots: what each scenario of test/infra/fixtures would deploy, by the real Bicep compiler. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import * as z from "zod";
import {
  compilerVersion,
  fixtureOf,
  hashInputs,
  infraFolder,
  readText,
  scenarios,
  snapshotFolder,
} from "./snapshots/inputs.ts";

const tenantId = "00000000-0000-4000-8000-00000000a000";
const Snapshot = z.object({
  predictedResources: z.array(z.looseObject({ id: z.string() })),
  diagnostics: z.array(z.unknown()),
  outputs: z.record(z.string(), z.unknown()),
});

// The second is where `az bicep install` puts it.
const candidates = ["bicep", join(homedir(), ".azure", "bin", "bicep")];

/** What the compiler itself needs of the environment. Everything else comes from a fixture. */
const systemNames = ["PATH", "HOME", "TMPDIR"];
const system = Object.fromEntries(systemNames.map((name) => [name, process.env[name]]));

writeSnapshots(findCompiler());
console.log(`Wrote ${scenarios.length} snapshots`);

/** Returns a compiler of the repository's version. Throws an Error that says how to get it. */
function findCompiler(): string {
  const compiler = candidates.find((program) => {
    const { stdout } = spawnSync(program, ["--version"], { encoding: "utf8" });
    return / version ([\d.]+)/.exec(stdout ?? "")?.[1] === compilerVersion;
  });
  if (compiler !== undefined) return compiler;
  throw new Error(
    `The snapshots need Bicep ${compilerVersion}: az bicep install --version v${compilerVersion}, or a bicep on the ` +
      "PATH, such as tools/bicep of the NuGet package Azure.Bicep.CommandLine of your platform",
  );
}

function writeSnapshots(compiler: string): void {
  const root = mkdtempSync(join(tmpdir(), "vmr-snapshots-"));
  const folder = join(root, "infra");
  try {
    copyTemplates(folder);
    for (const scenario of scenarios) write(scenario, predict(compiler, folder, scenario));
    writeFileSync(join(snapshotFolder, "inputs.sha256"), `${hashInputs()}\n`);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/**
 * Copies the templates, and the API document beside them. Long texts with tests of their own become the names of their
 * files.
 */
function copyTemplates(folder: string): void {
  cpSync(infraFolder, folder, { recursive: true });
  cpSync("openapi.json", join(folder, "..", "openapi.json"));
  replaceIn(join(folder, "api-management.bicep"), "loadTextContent('../openapi.json')", "'openapi.json'");
  const workbook = "workbook/workbook.json";
  replaceIn(join(folder, "observability.bicep"), `loadTextContent('${workbook}')`, "'workbook.json'");
}

function predict(compiler: string, folder: string, scenario: string) {
  const values = parseEnv(readText(fixtureOf(scenario)));
  const {
    AZURE_SUBSCRIPTION_ID: subscription = "",
    AZURE_LOCATION: location = "",
    AZURE_RESOURCE_GROUP: group,
  } = values;
  const file = join(folder, `${scenario}.bicepparam`);
  // environment() is not known offline.
  const text = `${readText(join(infraFolder, "main.bicepparam"))}\nparam storageSuffix = 'core.windows.net'\n`;
  writeFileSync(file, text);
  if (group !== undefined) replaceIn(file, "using 'main.bicep'", "using 'gateway.bicep'");
  const scope = group === undefined ? ["--location", location] : ["--resource-group", group];
  const ids = ["--tenant-id", tenantId, "--subscription-id", subscription, "--mode", "overwrite"];
  const options = { encoding: "utf8", env: { ...system, ...values } } as const;
  const { stderr, error } = spawnSync(compiler, ["snapshot", file, ...ids, ...scope], options);
  if (error) throw error;
  // The compiler itself ends with 0 after a warning.
  if (stderr.trim() !== "") throw new Error(stderr.trim());
  const written = readFileSync(join(folder, `${scenario}.snapshot.json`), "utf8");
  const { predictedResources, diagnostics, outputs } = Snapshot.parse(JSON.parse(written));
  if (diagnostics.length > 0) throw new Error(`${scenario}: ${JSON.stringify(diagnostics)}`);
  return { resources: predictedResources.toSorted((one, other) => (one.id < other.id ? -1 : 1)), outputs };
}

function replaceIn(file: string, text: string, replacement: string): void {
  const parts = readFileSync(file, "utf8").split(text);
  if (parts.length !== 2) throw new Error(`${file} does not have exactly one ${text}`);
  writeFileSync(file, parts.join(replacement));
}

/** Writes one property per line, sorted by name: the compiler's order of outputs differs from run to run. */
function write(name: string, contents: object): void {
  const sorted = (_key: string, value: unknown): unknown =>
    value !== null && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : value;
  writeFileSync(join(snapshotFolder, `${name}.json`), `${JSON.stringify(contents, sorted, 2)}\n`);
}
