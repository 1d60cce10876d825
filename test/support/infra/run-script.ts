/** Runs shell commands with stubs of Azure's programs on the PATH, which give recorded responses. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { refuseWrongOptions } from "./az-commands.ts";

/** The response of a command whose line contains this text. The first that fits is given. */
export interface Response {
  readonly to: string;
  readonly status?: number;
  readonly stdout?: string;
  /** Whether later calls get the next response that fits. */
  readonly isOnce?: boolean;
}

/** What a program does before it gives a response. */
const special: Readonly<Record<string, string>> = {
  az: `${refuseWrongOptions}
[ "$(grep -c '^az ' "$STUB_FOLDER/calls")" != "$FAIL_AT" ] || { echo "Azure failed" >&2; exit 1; }`,
  timeout: 'shift; exec "$@"',
};

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

const answerOf = ({ to, status = 0, stdout = "", isOnce = false }: Response, index: number) => {
  const answer = `{ printf %s ${quoted(stdout)}; exit ${status}; }`;
  return `case $line in *${quoted(to)}*) ${isOnce ? `mkdir "$STUB_FOLDER/${index}" 2>/dev/null && ` : ""}${answer} ;; esac`;
};

/** A command without a response fails, so a script cannot run what the test does not know. */
const stubOf = (program: string, responses: readonly Response[]) => `#!/bin/sh
line="${program} $*"
printf '%s\\n' "$line" >> "$STUB_FOLDER/calls"
${special[program] ?? ""}
${responses.map(answerOf).join("\n")}
[ ${program} != sleep ] || exit 0
echo "no response for: $line" >&2
exit 99
`;

interface Options {
  readonly environment?: Readonly<Record<string, string>>;
  /** The folder with `infra`. Defaults to the project. */
  readonly folder?: string;
  /** The programs to replace. Defaults to those that deploy.sh calls. */
  readonly stubs?: readonly string[] | undefined;
  /** Which call of az fails, whatever its response: the first is 1. Defaults to none. */
  readonly failAt?: number | undefined;
}

/** Runs `sh` with these words to its end. Returns its status, what it printed, and the stubs' command lines. */
export async function runScript(
  words: readonly string[],
  responses: readonly Response[],
  options: Options = {},
) {
  const { environment, folder: cwd, failAt = 0, stubs = ["az", "curl", "sleep", "timeout"] } = options;
  const folder = await mkdtemp(join(tmpdir(), "vmr-script-"));
  try {
    for (const name of stubs) {
      await writeFile(join(folder, name), stubOf(name, responses));
      await chmod(join(folder, name), 0o755);
    }
    const PATH = [folder, process.env["PATH"]].join(delimiter);
    const env = {
      PATH,
      HOME: folder,
      STUB_FOLDER: folder,
      HEALTH_TRIES: "30",
      FAIL_AT: `${failAt}`,
      ...environment,
    };
    const shell = spawn("sh", words, { cwd, env });
    const [stdout, stderr, [status]] = await Promise.all([
      text(shell.stdout),
      text(shell.stderr),
      once(shell, "close"),
    ]);
    const calls = await readFile(join(folder, "calls"), "utf8").catch(() => "");
    return {
      status: Number(status),
      stdout,
      stderr,
      commands: calls.split("\n").filter((line) => line !== ""),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
