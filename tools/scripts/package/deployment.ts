/** Exactly the files that are deployed: the bundle with its source map, what the host reads, and the notices. */
import { readFile } from "node:fs/promises";
import * as z from "zod";
import { bundleApp } from "./bundle.ts";
import { createNotices } from "./third-party-notices.ts";

// The host reads `type` and `main`; the rest identifies the build. Dependencies and scripts do not concern the host.
const HostManifest = z.object({
  name: z.string(),
  version: z.string(),
  type: z.literal("module"),
  main: z.string(),
  engines: z.record(z.string(), z.string()),
});

/** Contents by path in the package. Bundles the app; the same sources give the same bytes. */
export async function createDeployment(): Promise<ReadonlyMap<string, Uint8Array>> {
  const fromRoot = async (file: string) => readFile(new URL(`../../../${file}`, import.meta.url));
  const { files, sources } = await bundleApp();
  const manifest = HostManifest.parse(JSON.parse((await fromRoot("package.json")).toString()));
  return new Map([
    ["host.json", await fromRoot("host.json")],
    ["package.json", Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)],
    ["dist/THIRD-PARTY-NOTICES.txt", Buffer.from(await createNotices(sources))],
    ...files,
  ]);
}
