/** The bill of materials lists the deployed packages of the lock file. */
import { expect, it } from "vitest";
import * as z from "zod";
import manifest from "../../package.json" with { type: "json" };
import { createBillOfMaterials } from "../../scripts/package/bill-of-materials.ts";
import { lockedPackages } from "../support/lock-file.ts";

const bom = await createBillOfMaterials();
const Component = z.looseObject({
  purl: z.string().startsWith("pkg:npm/"),
  hashes: z.array(z.object({ alg: z.literal("SHA-512"), content: z.string().length(128) })).min(1),
});

it("The bill of materials lists exactly the deployed packages of the lock file, and no path or host of this machine", () => {
  const { name, version } = manifest;
  expect(bom).toMatchObject({ bomFormat: "CycloneDX", specVersion: "1.5" });
  expect(bom.metadata.component).toMatchObject({ type: "application", name, version });
  const deployed = lockedPackages.filter(({ dev }) => !dev).map((entry) => `${entry.name}@${entry.version}`);
  const listed = bom.components.map((component) => component["bom-ref"]);
  expect(deployed.length).toBeGreaterThan(50);
  expect(listed.toSorted()).toEqual([...new Set(deployed)].toSorted());
  expect(bom.components.filter((component) => !Component.safeParse(component).success)).toEqual([]);
  expect(bom.dependencies.map(({ ref }) => ref)).toEqual([`${name}@${version}`, ...listed]);
  expect(new Set(bom.dependencies.flatMap(({ dependsOn }) => dependsOn))).toEqual(new Set(listed));
  const addresses = JSON.stringify(bom).match(/https?:\/\/[^/"]+/g) ?? [];
  expect(addresses.filter((address) => address !== "http://cyclonedx.org")).toEqual([]);
  expect(JSON.stringify(bom)).not.toContain(process.cwd());
});
