/** Every command has help and reports misuse in one line. */
import { expect, test } from "vitest";
import { runScript } from "../../../../test/support/script-process.ts";

const commands: readonly (readonly [name: string, script: string])[] = [
  ["demo", "tools/local/commands/demo.ts"],
  ["soak", "test/simulation/soak.ts"],
  ["explore", "test/simulation/explore.ts"],
  ["chaos", "tools/chaos/run.ts"],
  ["bench", "tools/bench/run.ts"],
];

test.each(commands)("npm run %s shows its help and does nothing else", async (_, script) => {
  const { exited, output, errors } = runScript(script, "--help");
  expect([await exited, errors()]).toEqual([0, ""]);
  expect(output()).toMatch(/^Usage: npm (?:run )?\w+ \[-- options\]\n/);
  expect(output()).toMatch(/ {2}-h, --help +Shows this help\.\n$/);
});

test.each(commands)("npm run %s refuses an unknown option in one line", async (name, script) => {
  const { exited, output, errors } = runScript(script, "--zzzzzzzz");
  expect([await exited, output()]).toEqual([2, ""]);
  expect(errors()).toMatch(
    new RegExp(`^npm (?:run )?${name}: unknown option '--zzzzzzzz'. See npm (?:run )?${name} -- --help.\n$`),
  );
});
