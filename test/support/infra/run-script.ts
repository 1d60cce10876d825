/** Runs shell commands with stubs of Azure's programs on the PATH, which give recorded responses. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

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
  az: `[ "$(grep -c '^az ' "$STUB_FOLDER/calls")" != "$FAIL_AT" ] || { echo "Azure failed" >&2; exit 1; }`,
  timeout: 'shift; exec "$@"',
  sleep: "exit 0",
};

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

const answerOf = ({ to, status = 0, stdout = "", isOnce = false }: Response, index: number) => {
  const answer = `{ printf %s ${quoted(stdout)}; exit ${status}; }`;
  return `case $line in *${quoted(to)}*) ${isOnce ? `mkdir "$STUB_FOLDER/${index}" 2>/dev/null && ` : ""}${answer} ;; esac`;
};

/** A command without a response fails, so a script cannot run what the test does not know, except the project's own. */
const stubOf = (program: string, responses: readonly Response[]) => `#!/bin/sh
line="${program} $*"
printf '%s\\n' "$line" >> "$STUB_FOLDER/calls"
${special[program] ?? ""}
${responses.map(answerOf).join("\n")}
case $line in "npm exec --call "*) exec sh -c "$3" ;; esac
echo "no response for: $line" >&2
exit 99
`;

interface Options {
  readonly environment?: Readonly<Record<string, string>>;
  /** The folder with `infra`. Defaults to the project. */
  readonly folder?: string;
  /** Which call of az fails, whatever its response: the first is 1. Defaults to none. */
  readonly failAt?: number | undefined;
}

/** Runs `sh` with these words to its end. Returns its status, what it printed, and the stubs' command lines. */
export function runScript(words: readonly string[], responses: readonly Response[], options: Options = {}) {
  const { environment, folder: cwd, failAt = 0 } = options;
  const folder = mkdtempSync(join(tmpdir(), "vmr-script-"));
  try {
    for (const name of ["az", "curl", "gh", "npm", "sleep", "timeout"])
      writeFileSync(join(folder, name), stubOf(name, responses), { mode: 0o755 });
    writeFileSync(join(folder, "calls"), "");
    const PATH = [folder, process.env["PATH"]].join(delimiter);
    const own = { PATH, HOME: folder, STUB_FOLDER: folder, HEALTH_TRIES: "15", FAIL_AT: `${failAt}` };
    const env = { ...own, ...environment };
    const { status, stdout, stderr } = spawnSync("sh", words, { cwd, env, encoding: "utf8" });
    const calls = readFileSync(join(folder, "calls"), "utf8");
    return { status, stdout, stderr, commands: calls.split("\n").filter((line) => line !== "") };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
