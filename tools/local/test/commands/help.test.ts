/** Every command reports misuse in one line, and names its help. */
import { expect, test } from "vitest";
import { runScript } from "../../../../test/support/script-process.ts";

test.each([
  ["demo", "tools/local/commands/demo.ts"],
  ["soak", "tools/nightly/soak.ts"],
  ["explore", "tools/nightly/explore.ts"],
  ["chaos", "tools/chaos/run.ts"],
  ["bench", "tools/bench/run.ts"],
])("npm run %s refuses an unknown option in one line", async (name, script) => {
  const { exited, output, errors } = runScript(script, "--zzzzzzzz");
  expect([await exited, output()]).toEqual([2, ""]);
  expect(errors()).toBe(`npm run ${name}: unknown option '--zzzzzzzz'. See npm run ${name} -- --help.\n`);
});

test("npm run demo shows its help without starting the demo", async () => {
  const { exited, output, errors } = runScript("tools/local/commands/demo.ts", "--help");
  expect([await exited, errors()]).toEqual([0, ""]);
  expect(output()).toMatch(/^Usage: npm run demo \[-- options\]\n/);
  expect(output()).toMatch(/ {2}-h, --help +Shows this help\.\n$/);
});
