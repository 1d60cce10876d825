/** The first commands of a newcomer report in one line that Node is too old. */
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };

const check = "tools/local/commands/require-node.mjs";
const oldVersion = "data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.11.1'})";

test.each(["start", "test"] as const)("npm %s begins with the check of Node's version", (name) => {
  expect(manifest.scripts[name]).toMatch(`node ${check} && `);
});

test("The check reports that Node is too old, and prints nothing otherwise", () => {
  const run = (...options: string[]) =>
    spawnSync(process.execPath, [...options, check], { encoding: "utf8" });
  const found = run("--import", oldVersion);
  expect([found.status, found.stdout]).toEqual([1, ""]);
  expect(found.stderr).toMatch(/^This project runs on Node 24 and found Node 20\.11\.1: .+\n$/);
  expect(run()).toMatchObject({ status: 0, stdout: "", stderr: "" });
});
