/** The software bill of materials (CycloneDX 1.5): the deployed packages of the lock file, as npm lists them. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import * as z from "zod";
import manifest from "../../package.json" with { type: "json" };

const Component = z.looseObject({
  "bom-ref": z.string(),
  properties: z.array(z.looseObject({ name: z.string() })),
});
const Bom = z.looseObject({
  serialNumber: z.string(),
  metadata: z.looseObject({ timestamp: z.string(), component: Component }),
  components: z.array(Component),
  dependencies: z.array(z.object({ ref: z.string(), dependsOn: z.array(z.string()) })),
});

// npm's own --omit=dev also leaves out every package that a tool needs.
const command = [
  "sbom",
  "--package-lock-only",
  "--include=dev",
  "--sbom-format=cyclonedx",
  "--sbom-type=application",
];

/** Reads the lock file only, without installing or requesting anything. The same lock file and npm give the same text. */
export async function createBillOfMaterials() {
  // Inside an npm script, this is npm's own program, which runs everywhere without a shell.
  const program = process.env["npm_execpath"];
  const [file, prefix] = program === undefined ? ["npm", []] : [process.execPath, [program]];
  const cwd = fileURLToPath(new URL("../..", import.meta.url));
  const { stdout } = await promisify(execFile)(file, [...prefix, ...command], { cwd, maxBuffer: 2 ** 26 });
  const { serialNumber: _serial, metadata, components, dependencies, ...bom } = Bom.parse(JSON.parse(stdout));
  const { timestamp: _timestamp, ...about } = metadata;
  // npm calls it by the name of the folder that it happens to be in.
  const application = { ...about.component, name: manifest.name };
  const deployed = components.filter(isDeployed);
  const references = [application, ...deployed].map((component) => component["bom-ref"]);
  const dependenciesOf = new Map(dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  return {
    ...bom,
    metadata: { ...about, component: application },
    components: deployed,
    dependencies: references.map((ref) => ({
      ref,
      dependsOn: dependenciesOf.get(ref)?.filter((other) => references.includes(other)) ?? [],
    })),
  };
}

/** Whether a package is neither a development tool nor a folder of this repository. */
function isDeployed({ "bom-ref": reference, properties }: z.infer<typeof Component>): boolean {
  const isTool = properties.some(({ name }) => name === "cdx:npm:package:development");
  return !isTool && !reference.startsWith(manifest.name);
}
