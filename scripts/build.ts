/** Builds the deployed bundle: one ESM file with its source map. */
import { build } from "esbuild";

await build({
  entryPoints: ["src/main.ts"],
  outfile: "dist/main.js",
  bundle: true,
  platform: "node",
  target: "node24",
  format: "esm",
  sourcemap: true,
  // The Functions worker provides it at run time.
  external: ["@azure/functions-core"],
  // CommonJS parts of the dependencies call require, which an ESM file does not have.
  banner: {
    js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
  },
  logLevel: "warning",
});
console.log("dist/main.js");
