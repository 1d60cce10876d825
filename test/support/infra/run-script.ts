/** Runs shell commands with stubs of Azure's programs on the PATH, which give recorded responses. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";

/** The response of a command whose line contains this text. The first that fits is given. */
export interface Response {
  readonly to: string;
  readonly status?: number;
  readonly stdout?: string;
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** A command without a response fails, so a script cannot run what the test does not know. */
const stubOf = (responses: readonly Response[]) => `#!/bin/sh
line="\${0##*/} $*"
printf '%s\\n' "$line" >> "$STUB_FOLDER/calls"
case "$line" in
${responses.map(({ to, status = 0, stdout = "" }) => `*${quoted(to)}*) printf %s ${quoted(stdout)}; exit ${status} ;;`).join("\n")}
"sleep "*) exit 0 ;;
esac
echo "no response for: $line" >&2
exit 99
`;

interface Options {
  readonly environment?: Readonly<Record<string, string>>;
  /** The folder with `infra`. Defaults to the project. */
  readonly folder?: string;
  /** The programs to replace. Defaults to those that deploy.sh calls. */
  readonly stubs?: readonly string[];
}

/** Runs `sh` with these words to its end. Returns its status, what it printed, and the stubs' command lines. */
export async function runScript(
  words: readonly string[],
  responses: readonly Response[],
  options: Options = {},
) {
  const { environment, folder: cwd, stubs = ["az", "curl", "sleep", "timeout"] } = options;
  const folder = await mkdtemp(join(tmpdir(), "vmr-script-"));
  try {
    for (const name of stubs) {
      await writeFile(join(folder, name), stubOf(responses));
      await chmod(join(folder, name), 0o755);
    }
    const PATH = [folder, process.env["PATH"]].join(delimiter);
    const env = { PATH, HOME: folder, STUB_FOLDER: folder, HEALTH_TRIES: "30", ...environment };
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
