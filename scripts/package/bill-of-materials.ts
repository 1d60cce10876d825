/** The software bill of materials (CycloneDX 1.5): the deployed packages of the lock file, as npm lists them. */
import { exec } from "node:child_process";
import { promisify } from "node:util";
import * as z from "zod";
import manifest from "../../package.json" with { type: "json" };
import { root } from "./bundle.ts";

const Component = z.looseObject({
  "bom-ref": z.string(),
  scope: z.string(),
});
const Bom = z.looseObject({ components: z.array(Component) });

// npm's own --omit=dev also leaves out every package that a tool needs.
const command = "npm sbom --package-lock-only --include=dev --sbom-format=cyclonedx --sbom-type=application";

/** Reads the lock file only, without installing or requesting anything. */
export async function createBillOfMaterials() {
  const { stdout } = await promisify(exec)(command, { cwd: root, maxBuffer: 2 ** 26 });
  const bom = Bom.parse(JSON.parse(stdout));
  // What depends on what is left out: most of it is about tools.
  return { ...bom, components: bom.components.filter(isDeployed), dependencies: [] };
}

/**
 * Whether a package is neither a development tool nor `node`, which npm both calls optional, nor a folder of this
 * repository.
 */
function isDeployed({ "bom-ref": reference, scope }: z.infer<typeof Component>): boolean {
  return scope !== "optional" && !reference.startsWith(manifest.name);
}
