/** Runs a shell script with stubs of `az` and `azd` on the PATH, which give recorded responses and record their arguments. */
import { execFile } from "node:child_process";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import * as z from "zod";

/** What a command says to arguments that hold all of these words. */
export interface Response {
  readonly words: string;
  readonly status?: number;
  readonly stdout?: string;
  readonly stderr?: string;
  /** How often it says so; afterwards the next response that fits is given. */
  readonly times?: number;
}

export interface ScriptOptions {
  readonly script: string;
  readonly arguments?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly responses: readonly Response[];
  /** What a person types; without it the script has no terminal. */
  readonly typed?: string;
}

/** A command without a response that fits fails, so a script cannot run what the test does not know. */
const stub = `#!${process.execPath}
const { appendFileSync, readFileSync, writeFileSync } = require("node:fs");
const { basename, join } = require("node:path");
const folder = process.env.STUB_FOLDER;
const line = [basename(process.argv[1]), ...process.argv.slice(2)].join(" ");
const input = line.includes("/dev/stdin") ? readFileSync(0, "utf8") : undefined;
appendFileSync(join(folder, "calls"), JSON.stringify({ line, input }) + "\\n");
const path = join(folder, "responses.json");
const responses = JSON.parse(readFileSync(path, "utf8"));
const found = responses.find(({ words, times = 1 }) => times > 0 && words.split(" ").every((word) => line.split(" ").includes(word)));
if (!found) {
  process.stderr.write("no response for: " + line + "\\n");
  process.exit(99);
}
if (found.times) found.times -= 1;
writeFileSync(path, JSON.stringify(responses));
process.stdout.write(found.stdout ?? "");
process.stderr.write(found.stderr ?? "");
process.exit(found.status ?? 0);
`;

/** Runs a script to its end, for at most 20 seconds. */
export async function runScript(options: ScriptOptions) {
  const folder = await mkdtemp(join(tmpdir(), "vmr-script-"));
  try {
    for (const name of ["az", "azd"]) {
      await writeFile(join(folder, name), stub);
      await chmod(join(folder, name), 0o755);
    }
    await writeFile(join(folder, "responses.json"), JSON.stringify(options.responses));
    const result = await run(options, folder);
    const calls = (await readFile(join(folder, "calls"), "utf8").catch(() => ""))
      .split("\n")
      .filter((line) => line !== "")
      .map((line): { line: string; input?: string } => JSON.parse(line));
    const inputs = calls.flatMap(({ line, input }) => (input === undefined ? [] : [[line, input] as const]));
    return {
      ...result,
      /** The commands that the script ran, one line each. */
      commands: calls.map(({ line }) => line),
      /** What was piped into commands that read `/dev/stdin`, by the line of the command. */
      inputs: Object.fromEntries(inputs),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const Failure = z
  .object({ code: z.number().nullable(), stdout: z.string(), stderr: z.string() })
  .transform(({ code: status, ...output }) => ({ status, ...output }));

async function run(options: ScriptOptions, folder: string) {
  const { script, typed, environment = {} } = options;
  const command = ["sh", script, ...(options.arguments ?? [])];
  // The program `script` of util-linux gives a terminal.
  const [program = "", ...args] =
    typed === undefined
      ? command
      : ["script", "--quiet", "--return", "--command", command.join(" "), "/dev/null"];
  const running = promisify(execFile)(program, args, {
    timeout: 20_000,
    env: {
      PATH: [folder, process.env["PATH"]].join(delimiter),
      STUB_FOLDER: folder,
      NO_PROXY: "127.0.0.1",
      ...environment,
    },
  });
  if (typed === undefined) running.child.stdin?.end();
  else running.child.stdin?.write(typed);
  return running.then(
    (output) => ({ status: 0, ...output }),
    (error: unknown) => Failure.parse(error),
  );
}
