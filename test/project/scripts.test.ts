/** The commands of a newcomer report in one line that Node is too old, or that the packages are missing. */
import { spawnSync } from "node:child_process";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/script-process.ts";

const check = "scripts/require-node.mjs";
const oldVersion = "data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.11.1'})";

test("The check reports that Node is too old or that packages are missing, and prints nothing otherwise", async () => {
  const run = (script: string, ...options: string[]) =>
    spawnSync(process.execPath, [...options, script], { encoding: "utf8" });
  const found = run(check, "--import", oldVersion);
  expect([found.status, found.stdout]).toEqual([1, ""]);
  expect(found.stderr).toMatch(/^This project runs on Node 24 and found Node 20\.11\.1: .+\n$/);
  const copy = join(await temporaryFolder(), "require-node.mjs");
  copyFileSync(check, copy);
  expect(run(copy)).toMatchObject({
    status: 1,
    stdout: "",
    stderr: "The project's packages are not installed: run `npm ci` first.\n",
  });
  expect(run(check)).toMatchObject({ status: 0, stdout: "", stderr: "" });
});
