/** The bill of materials lists what the lock file says is deployed, and all that is in the bundle. */
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { createBillOfMaterials } from "../../scripts/package/bill-of-materials.ts";
import { bundleApp } from "../../scripts/package/bundle.ts";

const Lock = z.object({
  packages: z.record(z.string(), z.object({ version: z.string(), dev: z.boolean().optional() })),
});

let bom: Awaited<ReturnType<typeof createBillOfMaterials>>;
beforeAll(async () => {
  bom = await createBillOfMaterials();
});

describe("bill of materials", () => {
  it("is CycloneDX of this application", () => {
    const { name, version } = JSON.parse(readFileSync("package.json", "utf8"));
    expect(bom).toMatchObject({ bomFormat: "CycloneDX", specVersion: "1.5" });
    expect(bom.metadata.component).toMatchObject({ type: "application", name, version });
  });

  it("has the packages of the lock file that are no tools, and no others", () => {
    const { packages } = Lock.parse(JSON.parse(readFileSync("package-lock.json", "utf8")));
    const deployed = Object.entries(packages).flatMap(([path, { version, dev }]) =>
      path === "" || dev ? [] : [`${path.replace(/^.*node_modules\//, "")}@${version}`],
    );
    const listed = bom.components.map(({ name, version }) => `${name}@${version}`);
    const references = bom.components.map((component) => component["bom-ref"]);
    expect(deployed.length).toBeGreaterThan(50);
    expect(new Set(references)).toEqual(new Set(deployed));
    expect(listed).toHaveLength(new Set(deployed).size);
  });

  it("has every package of the bundle", async () => {
    const { sources } = await bundleApp();
    const bundled = new Set(
      sources.flatMap((source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1] ?? []),
    );
    const listed = bom.components.map((component) => component["bom-ref"].replace(/@[^@]+$/, ""));
    expect(bundled.size).toBeGreaterThan(50);
    expect([...bundled].filter((name) => !listed.includes(name))).toEqual([]);
  });

  it("gives each package an address and a hash, and says what needs what", () => {
    const Component = z.looseObject({
      purl: z.string().startsWith("pkg:npm/"),
      hashes: z.array(z.object({ alg: z.literal("SHA-512"), content: z.string().length(128) })).min(1),
    });
    expect(bom.components.filter((component) => !Component.safeParse(component).success)).toEqual([]);
    const references = [bom.metadata.component, ...bom.components].map((component) => component["bom-ref"]);
    expect(new Set(bom.dependencies.map(({ ref }) => ref))).toEqual(new Set(references));
    const needed = new Set(bom.dependencies.flatMap(({ dependsOn }) => dependsOn));
    expect(references.slice(1).filter((reference) => !needed.has(reference))).toEqual([]);
  });

  it("is the same when it is made again, and names no computer", async () => {
    expect(await createBillOfMaterials()).toEqual(bom);
    const addresses = JSON.stringify(bom).match(/https?:\/\/[^/"]+/g) ?? [];
    expect(addresses.filter((address) => address !== "http://cyclonedx.org")).toEqual([]);
    expect(JSON.stringify(bom)).not.toContain(process.cwd());
  });
});
