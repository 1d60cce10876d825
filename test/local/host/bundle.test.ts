/** The host loads an ESM bundle like the deployed one, in which the library's `require` comes from a banner. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, onTestFinished, test } from "vitest";
import { startTestHost } from "./test-host.ts";

test("A bundled app returns a response", async () => {
  const folder = await mkdtemp(join(tmpdir(), "bundle-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const outfile = join(folder, "main.mjs");
  await build({
    entryPoints: [fileURLToPath(new URL("./apps/probe-app.ts", import.meta.url))],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    external: ["@azure/functions-core"],
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
  });
  const { host } = await startTestHost(outfile);
  onTestFinished(() => host.stop());
  const answer = await fetch(`${host.url}/p/x?a=1&a=2`);
  expect(await answer.json()).toMatchObject({ fn: "param", query: [["a", "1,2"]] });
});
