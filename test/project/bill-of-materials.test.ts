/** The bill of materials lists the deployed packages of the lock file. */
import { beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import manifest from "../../package.json" with { type: "json" };
import { createBillOfMaterials } from "../../scripts/package/bill-of-materials.ts";
import { lockedPackages } from "../support/lock-file.ts";

let bom: Awaited<ReturnType<typeof createBillOfMaterials>>;
beforeAll(async () => {
  bom = await createBillOfMaterials();
});

describe("The bill of materials", () => {
  it("is a CycloneDX document of this application", () => {
    const { name, version } = manifest;
    expect(bom).toMatchObject({ bomFormat: "CycloneDX", specVersion: "1.5" });
    expect(bom.metadata.component).toMatchObject({ type: "application", name, version });
  });

  it("lists exactly the packages of the lock file that are not development tools", () => {
    const packages = lockedPackages.filter(({ dev }) => !dev);
    const deployed = packages.map(({ name, version }) => `${name}@${version}`);
    const listed = bom.components.map(({ name, version }) => `${name}@${version}`);
    const references = bom.components.map((component) => component["bom-ref"]);
    expect(deployed.length).toBeGreaterThan(50);
    expect(new Set(references)).toEqual(new Set(deployed));
    expect(listed).toHaveLength(new Set(deployed).size);
  });

  it("has a URL, a hash and the dependencies of each package", () => {
    const Component = z.looseObject({
      purl: z.string().startsWith("pkg:npm/"),
      hashes: z.array(z.object({ alg: z.literal("SHA-512"), content: z.string().length(128) })).min(1),
    });
    expect(bom.components.filter((component) => !Component.safeParse(component).success)).toEqual([]);
    const references = [bom.metadata.component, ...bom.components].map((component) => component["bom-ref"]);
    expect(new Set(bom.dependencies.map(({ ref }) => ref))).toEqual(new Set(references));
    const required = new Set(bom.dependencies.flatMap(({ dependsOn }) => dependsOn));
    expect(references.slice(1).filter((reference) => !required.has(reference))).toEqual([]);
  });

  it("contains no path or host of this machine", () => {
    const addresses = JSON.stringify(bom).match(/https?:\/\/[^/"]+/g) ?? [];
    expect(addresses.filter((address) => address !== "http://cyclonedx.org")).toEqual([]);
    expect(JSON.stringify(bom)).not.toContain(process.cwd());
  });
});
