/** The command line: unknown and wrong options, help, and what the documents say about the commands. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { tableBelow, unquoted } from "../../../test/support/markdown-table.ts";
import { commands } from "../command-table.ts";
import { commonOptions } from "../common-options.ts";
import { exitCodes } from "../exit-codes.ts";
import { usageOf } from "../help.ts";
import { ops } from "./operated-gateway.ts";

const document = (name: string) => readFileSync(new URL(`../../../docs/${name}`, import.meta.url), "utf8");

describe.each(commands)("ops $name", (command) => {
  const { name, options, argument } = command;
  const given = argument?.isRequired ? ["1"] : [];

  test("Refuses an unknown option in one line that names it", async () => {
    const remarks = `--colour: there is no such option. npm run ops -- ${name} --help shows the options.\n`;
    expect(await ops([name, ...given, "--colour"])).toEqual({ exitCode: 2, output: "", remarks });
  });

  test("Refuses a word too many", async () => {
    const { exitCode, remarks } = await ops([name, "1", "surplus"]);
    expect(exitCode).toBe(2);
    expect(remarks).toMatch(/^(?:1|surplus): is one word too many\./);
  });

  test("Shows its help with every option, and ends with 0", async () => {
    const { exitCode, output } = await ops([name, "--help"]);
    expect(exitCode).toBe(0);
    for (const option of [...Object.keys(options), ...Object.keys(commonOptions)])
      expect(output).toContain(`--${option}`);
    expect(output).toContain(`npm run ops -- ${usageOf(command)} [options]`);
  });
});

test.each([
  [["shrink"], "N: is required"],
  [["shrink", "-1"], "-1: there is no such option"],
  [["shrink", "1.5"], "N: must be a whole number from 0 to 10000"],
  [["fill", "0"], "N: must be a whole number from 1 to 10000"],
  [["room"], "NAME: is required"],
  [["rooms", "--state", "lost"], "--state: must be pooled or assigned or live"],
  [["rooms", "--state"], "--state: needs a value"],
  [["rooms", "--state", "--json"], "--state: needs a value"],
  [["recycle", "--floor", "many"], "--floor: must be a whole number from 0 to 10000"],
  [["recycle", "--floor", "1", "--floor", "2"], "--floor: is given twice"],
  [["recycle", "--yes=no"], "--yes: takes no value"],
  [["status", "--every", "0"], "--every: must be a whole number from 1 to 3600"],
  [["plan"], "--per-hour: is required, unless --measured-days is given"],
  [["plan", "--per-hour", "many"], "--per-hour: must be a number from 0.1 to 1000000"],
  [["plan", "--per-hour", "-1"], "--per-hour: must be a number from 0.1 to 1000000"],
  [["plan", "--per-hour", "1e9"], "--per-hour: must be a number from 0.1 to 1000000"],
  [["plan", "--per-hour", "400", "--peak", "0.5"], "--peak: must be a number from 1 to 100"],
  [["plan", "--per-hour", "400", "--one-in", "0"], "--one-in: must be a whole number from 10 to 1000000"],
  [
    ["plan", "--per-hour", "400", "--callers", "10"],
    "--callers: must be a whole number from 1000 to 10000000",
  ],
  [["plan", "--per-hour", "400", "--max-vmr", "2.5"], "--max-vmr: must be a whole number from 1 to 10000"],
  [["plan", "--per-hour", "400", "--peak"], "--peak: needs a value"],
])("Refuses %j: %s", async (args, message) => {
  const remarks = `${message}. npm run ops -- ${args[0]} --help shows the options.\n`;
  expect(await ops([...args, "--local"])).toEqual({ exitCode: 2, output: "", remarks });
});

test("Names an unknown command, and lists all with help", async () => {
  expect(await ops(["statsu"])).toEqual({
    exitCode: 2,
    output: "",
    remarks: "statsu: there is no such command. npm run ops -- help lists the commands.\n",
  });
  for (const args of [["help"], ["--help"], []]) {
    const { exitCode, output } = await ops(args);
    expect(exitCode).toBe(args.length === 0 ? 2 : 0);
    for (const { name, summary } of commands)
      expect(output).toMatch(new RegExp(`^ {2}${name}\\b.* {2}${summary}$`, "m"));
  }
});

test("Says that no local gateway is running", async () => {
  const { exitCode, remarks } = await ops(["status", "--local", "--connection-file", "/nonexistent"]);
  expect(exitCode).toBe(3);
  expect(remarks).toMatch(/^No local gateway is running \(\/nonexistent\)\. Start one with `npm start`/);
});

describe("The documents", () => {
  const tableOf = (position: number) =>
    tableBelow(document("reference.md"), "## The operator's commands", position).rows.map((row) =>
      row.map(unquoted),
    );

  test("List every command with its options", () => {
    expect(tableOf(0)).toEqual(
      commands.map((command) => [
        usageOf(command),
        command.summary,
        Object.keys(command.options)
          .map((name) => `--${name}`)
          .join(", "),
      ]),
    );
  });

  test("List every exit code", () => {
    expect(tableOf(1)).toEqual(Object.values(exitCodes).map(({ code, meaning }) => [String(code), meaning]));
  });

  test("Call only commands that there are, with options that they have", () => {
    const texts = ["operations.md", "alerts.md", "deployment.md", "security.md"].map(document).join("\n");
    const calls = [...texts.matchAll(/npm run (?:-s )?ops -- ([\w-]+)([^`\n)]*)/g)];
    expect(calls.length).toBeGreaterThan(15);
    const wrong = calls.filter(([, name, rest = ""]) => {
      const command = commands.find((candidate) => candidate.name === name);
      const known = { ...commonOptions, ...command?.options };
      const isPlaceholder = name === "COMMAND" || name === "help";
      return (
        (!command && !isPlaceholder) ||
        [...rest.matchAll(/--([\w-]+)/g)].some(([, option = ""]) => !(option in known))
      );
    });
    expect(wrong.map(([call]) => call)).toEqual([]);
  });

  test("Name every command in a procedure", () => {
    const text = document("operations.md") + document("alerts.md");
    const isNamed = (name: string) => new RegExp(`npm run (?:-s )?ops -- ${name}\\b`).test(text);
    expect(commands.filter(({ name }) => !isNamed(name)).map(({ name }) => name)).toEqual([]);
  });
});
