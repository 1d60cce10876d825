/** The command line: unknown and wrong options, help, and what the documents say about the commands. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { projectFolder } from "../../../test/support/script-process.ts";
import { exitCodes } from "../outcomes.ts";
import { ops } from "./run-ops.ts";

const document = (name: string) => readFileSync(new URL(`../../../docs/${name}`, import.meta.url), "utf8");

const commonOptions = ["--local", "--connection-file", "--environment"];

/** Every command, with the options in its help. */
const commands = new Map<string, readonly string[]>();
for (const [, name = ""] of (await ops(["help"])).output.matchAll(/^ {2}([a-z]+) \[options\]/gm)) {
  const { output } = await ops([name, "--help"]);
  commands.set(
    name,
    [...output.matchAll(/^ {2}(?:-h, )?(--[\w-]+)/gm)].map(([, option = ""]) => option),
  );
}

test.each([
  ["recycle", "--help"],
  ["help", "recycle"],
])("Shows the help of a command with every option, and ends with 0: %s %s", async (...args) => {
  const { exitCode, output } = await ops(args);
  expect(exitCode).toBe(0);
  for (const option of ["--yes", "--floor", ...commonOptions]) expect(output).toContain(option);
  expect(output).toContain("Usage: npm run ops -- recycle [options]");
});

test.each([
  [["shrink"], "missing required argument 'N'."],
  [["shrink", "1.5"], "argument 'N': It must be a whole number from 0 to 10000."],
  [["drain", "1"], "too many arguments for 'drain'. Expected 0 arguments but got 1: 1."],
  [
    ["rooms", "--state", "lost"],
    "option '--state <state>': Allowed choices are pooled, assigned, live, waiting.",
  ],
  [["status", "--lcoal"], "unknown option '--lcoal' (Did you mean --local?)"],
  [["plan"], "--per-day is required, unless --measured-days is given."],
  [["plan", "--per-day", "1e9"], "option '--per-day <rooms>': It must be a number from 1 to 10000000."],
])("Refuses %j: %s", async (args, message) => {
  const remarks = `npm run ops -- ${args[0]}: ${message} See npm run ops -- ${args[0]} --help.\n`;
  expect(await ops([...args])).toEqual({ exitCode: 2, output: "", remarks });
});

test("Suggests a command for a mistyped one, and lists all commands with help", async () => {
  const unknown = await ops(["statsu"]);
  expect([unknown.exitCode, unknown.output]).toEqual([2, ""]);
  expect(unknown.remarks).toBe(
    "npm run ops: unknown command 'statsu' (Did you mean status?) See npm run ops -- --help.\n",
  );
  for (const args of [["help"], ["--help"], []]) {
    const { exitCode, output, remarks } = await ops(args);
    const help = output + remarks;
    expect(exitCode).toBe(args.length === 0 ? 2 : 0);
    expect(help).toMatch(/^ {2}redrive \[options\]/m);
    for (const { code, meaning } of Object.values(exitCodes))
      expect(help).toMatch(`${code}`.padEnd(5) + meaning);
  }
});

test("Ends quietly if the reader of its output has ended", () => {
  const piped = `"${process.execPath}" tools/ops/main.ts help | true`;
  expect(spawnSync("sh", ["-c", piped], { cwd: projectFolder, encoding: "utf8" })).toMatchObject({
    status: 0,
    stderr: "",
  });
});

test("Says that no local gateway is running", async () => {
  const { exitCode, remarks } = await ops(["status", "--local", "--connection-file", "/nonexistent"]);
  expect(exitCode).toBe(3);
  expect(remarks).toMatch(/^No local gateway is running \(\/nonexistent\)\. Start one with `npm start`/);
});

describe("The documents", () => {
  test("Name only commands and options that exist", () => {
    const texts = ["operations.md", "deployment.md", "security.md"].map(document).join("\n");
    const calls = [...texts.matchAll(/npm run (?:-s )?ops -- ([\w-]+)([^`\n)]*)/g)];
    expect(calls.length).toBeGreaterThan(15);
    const wrong = calls.filter(([, name, rest = ""]) => {
      const isPlaceholder = name === "COMMAND" || name === "help";
      const known = isPlaceholder ? ["--help"] : commands.get(name ?? "");
      return !known || [...rest.matchAll(/--[\w-]+/g)].some(([option]) => !known.includes(option));
    });
    expect(wrong.map(([call]) => call)).toEqual([]);
  });

  test("Name every command in a procedure", () => {
    const text = document("operations.md");
    const isNamed = (name: string) => new RegExp(`npm run (?:-s )?ops -- ${name}\\b`).test(text);
    expect(commands.size).toBe(11);
    expect([...commands.keys()].filter((name) => !isNamed(name))).toEqual([]);
  });
});
