/** Every npm script reports in one line if Node is too old. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };

const folder = fileURLToPath(new URL("../../", import.meta.url));
const reportsOldVersion =
  "data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.11.1'})";

/** Runs the first command of a script in a Node process that reports an old version. */
function runFirstCommand(script: string) {
  const [program, ...args] = script.split("&&")[0]?.trim().split(" ") ?? [];
  expect(program).toBe("node");
  return spawnSync(process.execPath, ["--import", reportsOldVersion, ...args], {
    cwd: folder,
    encoding: "utf8",
  });
}

// A script that begins with another script is checked by that one.
const scripts = Object.entries(manifest.scripts).filter(([, script]) => !script.startsWith("npm run "));

test.each(scripts)("npm run %s reports that Node is too old", (_, script) => {
  const { status, stdout, stderr } = runFirstCommand(script);
  expect(status).toBe(1);
  expect(stdout).toBe("");
  expect(stderr).toMatch(/^This project runs on Node 24 and found Node 20\.11\.1: .+\n$/);
});

test("The version check prints nothing if Node is new enough", () => {
  const check = spawnSync(process.execPath, ["tools/local/commands/require-node.mjs"], {
    cwd: folder,
    encoding: "utf8",
  });
  expect([check.status, check.stdout, check.stderr]).toEqual([0, "", ""]);
});
