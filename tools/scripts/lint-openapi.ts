/** Checks openapi.json, or the file that is named, with Redocly's linter, by the rules in redocly.yaml. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const linter = fileURLToPath(import.meta.resolve("@redocly/cli/bin/cli.js"));
const { status } = spawnSync(process.execPath, [linter, "lint", process.argv[2] ?? "openapi.json"], {
  cwd: new URL("../../", import.meta.url),
  // Otherwise it would ask a server for its newest version and print advertisements.
  env: { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", REDOCLY_TELEMETRY: "off" },
  stdio: "inherit",
});
process.exitCode = status ?? 1;
