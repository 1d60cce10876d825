/** The command line: unknown and wrong options, help, and what the documents say about the commands. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createOperatorsProgram } from "../../../scripts/package/operators-program.ts";
import { GatewayError, type platformFailures } from "../../../src/lib/errors.ts";
import { PlatformError, type PlatformFailure } from "../../../src/lib/platform/errors.ts";
import { QueueError } from "../../../src/lib/queue.ts";
import { version } from "../../../src/lib/version.ts";
import { projectFolder, temporaryFolder } from "../../../test/support/script-process.ts";
import { describeError, exitCodes, type Outcome, UnreachableError, UsageError } from "../outcomes.ts";
import { roomStates } from "../pool/room-views.ts";
import { ops } from "./run-ops.ts";

const document = (name: string) => readFileSync(new URL(`../../../docs/${name}`, import.meta.url), "utf8");

/** Every command, with its help and the options in it. */
const commands = new Map<string, readonly string[]>();
const helps: [string, string][] = [];
for (const [, name = ""] of (await ops(["help"])).output.matchAll(/^ {2}([a-z]+) \[options\]/gm)) {
  const { output } = await ops([name, "--help"]);
  helps.push([name, output]);
  commands.set(
    name,
    [...output.matchAll(/^ {2}(?:-h, )?(--[\w-]+)/gm)].map(([, option = ""]) => option),
  );
}

test("Shows the help of a command with every option", async () => {
  const { exitCode, output } = await ops(["help", "shrink"]);
  expect(exitCode).toBe(0);
  expect(output).toMatch(/^Usage: npm run ops -- shrink \[options\] <N>\n\nMakes [^]*\sup\sagain\.\n\nArg/);
  expect(commands.get("shrink")).toEqual(["--local", "--environment", "--yes", "--help"]);
});

test.each(helps)("The help of %s explains it, and each of its arguments and options", (_, help) => {
  const [, about, ...lists] = help.trimEnd().split("\n\n");
  const entries = lists.flatMap((list) => list.split(/\n(?= {2}\S)/).slice(1));
  for (const entry of entries) expect(entry).toMatch(/^ {2}\S+(?:, \S+)?(?: <\w+>)? {2,}[A-Z][^]+[.)]$/);
  expect(about).toMatch(/^[A-Z][^]+\.$/);
});

test.each([
  { line: "statsu", message: "unknown command 'statsu' (Did you mean status?)" },
  { line: "shrink", message: "missing required argument 'N'." },
  { line: "shrink 1.5", message: "argument 'N': It must be a whole number from 0 to 10000." },
  { line: "shrink 10001", message: "argument 'N': It must be a whole number from 0 to 10000." },
  { line: "drain 1", message: "too many arguments for 'drain'. Expected 0 arguments but got 1: 1." },
  {
    line: "rooms --state lost",
    message: "option '--state <state>': Allowed choices are pooled, assigned, live, waiting.",
  },
  {
    line: "rooms --gateway --local",
    message: "option '--gateway <name>': It must be a name.",
  },
  { line: "room ", message: "argument 'NAME': It must be a name." },
  { line: "unmarked --yes", message: "--yes needs a FILE that names the rooms." },
  { line: "unmarked .", message: "FILE cannot be read: EISDIR: illegal operation on a directory, read." },
  { line: "status --lcoal", message: "unknown option '--lcoal' (Did you mean --local?)" },
])("Refuses $line: $message", async ({ line, message }) => {
  const call = line === "statsu" ? "" : ` ${line.split(" ")[0]}`;
  const remarks = `npm run ops${call && ` --${call}`}: ${message} See npm run ops --${call} --help.\n`;
  expect(await ops(line.split(" "))).toEqual({ exitCode: 2, output: "", remarks });
});

test.each([
  { args: ["help"], ends: 0 },
  { args: ["--help"], ends: 0 },
  { args: [], ends: 2 },
])(
  "Lists all commands and exit codes with the arguments $args, and ends with $ends",
  async ({ args, ends }) => {
    const { exitCode, output, remarks } = await ops(args);
    expect(exitCode).toBe(ends);
    expect(output + remarks).toMatch(/^ {2}unmarked \[options\]/m);
    for (const { code, meaning } of Object.values(exitCodes))
      expect(output + remarks).toContain(`${code}`.padEnd(5) + meaning);
  },
);

test("Shows its version, which must be that of the deployed app", async () => {
  expect(await ops(["--version"])).toEqual({ exitCode: 0, output: `${version}\n`, remarks: "" });
});

const byPlatform = (failure: Partial<PlatformFailure>) =>
  new PlatformError({ outcome: "refused", message: "GET", ...failure });
const forbidden = Object.assign(new Error(), { statusCode: 403 });
const ofPlatform = "See docs/operations.md#platform-unreachable";
/** The failures of the gateway's own code that a command can meet, and what it says about them. */
type Code = (typeof platformFailures)[number] | "storage-unavailable" | "claim-failed";
const ofGateway: Readonly<Record<Code, readonly [error: GatewayError, line: string]>> = {
  "platform-rejected": [
    byPlatform({ method: "GET", status: 409 }),
    `The platform rejects GET (409): GET. ${ofPlatform}`,
  ],
  "platform-login-refused": [
    byPlatform({ status: 401, code: "platform-login-refused" }),
    `The platform refuses the login (401): GET: login refused. ${ofPlatform}`,
  ],
  "platform-unavailable": [byPlatform({ status: 429 }), `The platform throttles (429): GET. ${ofPlatform}`],
  "platform-timeout": [
    byPlatform({ code: "platform-timeout" }),
    `The platform does not respond: GET. ${ofPlatform}`,
  ],
  "gateway-busy": [byPlatform({ code: "gateway-busy" }), "gateway-busy: GET"],
  "storage-unavailable": [
    new QueueError("unknown", "queue count", forbidden),
    "The storage account refuses access (403): queue count. See docs/operations.md#storage-unavailable",
  ],
  "claim-failed": [new GatewayError("claim-failed"), "claim-failed: claim-failed"],
};
test.each<[unknown, Outcome, string]>([
  ...Object.values(ofGateway).map(([error, line]): [unknown, Outcome, string] => [
    error,
    "unreachable",
    line,
  ]),
  [new UsageError("a name is missing"), "usage", "ops x: a name is missing. See ops x --help."],
  [new UnreachableError("Azure does not respond"), "unreachable", "Azure does not respond"],
  [new TypeError("one\ntwo"), "finding", "ops x failed: TypeError: one"],
  ["text", "finding", "ops x failed: text"],
])("After the failure %s, a command ends as `%s` and says: %s", (error, outcome, line) => {
  expect(describeError(error, "ops x")).toEqual({ outcome, line });
});

test("A command that fails after Ctrl-C was interrupted", async () => {
  const connect = async () => Promise.reject(new UnreachableError("Azure does not respond"));
  const remarks = "Interrupted. It is safe to run the command again.\n";
  const ended = await ops(["status"], { connect, stopping: AbortSignal.abort() });
  expect(ended).toEqual({ exitCode: exitCodes.interrupted.code, output: "", remarks });
});

test("The program of a release runs in an empty folder, and finds deployments", async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "ops.mjs"), await createOperatorsProgram());
  const env = {
    AZURE_SUBSCRIPTION_ID: "subscription",
    AZURE_RESOURCE_GROUP: "group",
    FUNCTION_APP_NAME: "app",
    OPS_RESOURCE_MANAGER_URL: "http://127.0.0.1:1",
  };
  expect(
    spawnSync(process.execPath, ["ops.mjs", "status"], { cwd: folder, env, encoding: "utf8" }),
  ).toMatchObject({
    status: exitCodes.unreachable.code,
    stderr: expect.stringMatching(/^Azure does not respond, so the settings of the app cannot be read: /),
  });
});

test("Ends quietly if the reader of its output has ended", () => {
  const piped = `"${process.execPath}" tools/ops/main.ts help | true`;
  expect(spawnSync("sh", ["-c", piped], { cwd: projectFolder, encoding: "utf8" })).toMatchObject({
    status: 0,
    stderr: "",
  });
});

test("The documents name only commands and options that exist, and every command in a procedure", () => {
  const texts = ["operations.md", "deployment.md", "security.md"].map(document);
  const calls = [...texts.join("\n").matchAll(/npm run (?:-s )?ops -- ([\w-]+)([^`\n)]*)/g)];
  const wrong = calls.filter(([, name = "", rest = ""]) => {
    const known = name === "COMMAND" || name === "help" ? ["--help"] : commands.get(name);
    return !known || [...rest.matchAll(/--[\w-]+/g)].some(([option]) => !known.includes(option));
  });
  expect(wrong.map(([call]) => call)).toEqual([]);
  const states = calls.flatMap(([, , rest = ""]) => /--state (\w+)/.exec(rest)?.[1] ?? []);
  expect(roomStates).toEqual(expect.arrayContaining(states));
  expect(commands.size).toBe(8);
  expect(calls.map(([, name]) => name)).toEqual(expect.arrayContaining([...commands.keys()]));
});
