/** Checks the simulation itself: it finds the planted bugs. `npm run soak` plants them with more random histories. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { plantedBugs } from "./planted-bugs.ts";

const command = fileURLToPath(new URL("soak.ts", import.meta.url));

// In a process of its own: plain Node loads the sources of each bug ten times as fast.
test("The simulation or the exploration finds each planted bug", { timeout: 240_000 }, async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [command, "--bugs"]).catch(
    (failed: { stdout: string; stderr: string }) => failed,
  );
  expect(stderr).toBe("");
  const lines = stdout.split("\n");
  expect(lines.filter((line) => line.startsWith("MISSED"))).toEqual([]);
  const caught = lines.filter((line) => line.startsWith("caught"));
  expect(caught).toHaveLength(plantedBugs.filter(({ isFoundBySoakOnly }) => !isFoundBySoakOnly).length);
});
