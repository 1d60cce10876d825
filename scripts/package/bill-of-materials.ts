/** The software bill of materials (CycloneDX 1.5): the deployed packages of the lock file, as npm lists them. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import * as z from "zod";

const root = fileURLToPath(new URL("../..", import.meta.url));

const Bom = z.looseObject({
  bomFormat: z.literal("CycloneDX"),
  specVersion: z.string(),
  metadata: z.looseObject({ component: z.looseObject({ "bom-ref": z.string(), name: z.string() }) }),
  components: z.array(z.looseObject({ "bom-ref": z.string(), name: z.string(), version: z.string() })),
  dependencies: z.array(z.object({ ref: z.string(), dependsOn: z.array(z.string()) })),
});

const Lock = z.object({
  name: z.string(),
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      dev: z.boolean().default(false),
      link: z.boolean().default(false),
    }),
  ),
});

/** Reads the lock file only, without installing or requesting anything. The same lock file and npm give the same text. */
export async function createBillOfMaterials(): Promise<z.infer<typeof Bom>> {
  const { name, packages } = Lock.parse(JSON.parse(await readFile(`${root}/package-lock.json`, "utf8")));
  const { serialNumber: _serial, ...bom } = Bom.extend({ serialNumber: z.string() }).parse(
    JSON.parse(
      await npm(
        "sbom",
        "--package-lock-only",
        "--include=dev",
        "--sbom-format=cyclonedx",
        "--sbom-type=application",
      ),
    ),
  );
  // npm's own --omit=dev also leaves out every package that a tool needs.
  const deployed = new Set(
    Object.entries(packages).flatMap(([path, { version, dev, link }]) => {
      const isOfWorkshop = dev || link || (path !== "" && !path.includes("node_modules/"));
      return isOfWorkshop ? [] : [`${path.replace(/^.*node_modules\//, "") || name}@${version}`];
    }),
  );
  const { timestamp: _timestamp, ...metadata } = bom.metadata;
  return {
    ...bom,
    // npm calls it by the name of the folder that it happens to be in.
    metadata: { ...metadata, component: { ...metadata.component, name } },
    components: distinct(bom.components, (component) => component["bom-ref"]).filter((component) =>
      deployed.has(component["bom-ref"]),
    ),
    dependencies: distinct(bom.dependencies, ({ ref }) => ref)
      .filter(({ ref }) => deployed.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => deployed.has(other)) })),
  };
}

/** A package that is installed in two places is one component; older versions of npm list it twice. */
function distinct<T>(entries: readonly T[], keyOf: (entry: T) => string): T[] {
  return [...new Map(entries.map((entry) => [keyOf(entry), entry])).values()];
}

async function npm(...options: string[]): Promise<string> {
  // Inside an npm script, this is npm's own program, which runs everywhere without a shell.
  const program = process.env["npm_execpath"];
  const [command, prefix] = program === undefined ? ["npm", []] : [process.execPath, [program]];
  const { stdout } = await promisify(execFile)(command, [...prefix, ...options], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}
