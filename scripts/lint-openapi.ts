/** Checks openapi.json with Redocly's linter, by the rules in redocly.yaml; the linter's own news stay unread. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const linter = fileURLToPath(import.meta.resolve("@redocly/cli/bin/cli.js"));
const { status } = spawnSync(process.execPath, [linter, "lint", "openapi.json"], {
  cwd: new URL("../", import.meta.url),
  // It would ask a server for its newest version and print advertisements.
  env: { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", REDOCLY_TELEMETRY: "off" },
  stdio: "inherit",
});
process.exitCode = status ?? 1;
