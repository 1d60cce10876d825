/** Runs a shell script with stubs of `az`, `curl` and `sleep` on the PATH, which give recorded responses. */
import { execFile } from "node:child_process";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import * as z from "zod";

/** The response of a command whose arguments contain this text. */
export interface Response {
  readonly to: string;
  readonly status?: number;
  readonly stdout?: string;
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** A command without a response fails, so a script cannot run what the test does not know. `sleep` returns at once. */
const stubOf = (responses: readonly Response[]) => `#!/bin/sh
name=\${0##*/}
[ "$name" = sleep ] && exit 0
line="$name $*"
printf '%s\\n' "$line" >> "$STUB_FOLDER/calls"
case "$line" in
${responses.map(({ to, status = 0, stdout = "" }) => `*${quoted(to)}*) printf %s ${quoted(stdout)}; exit ${status} ;;`).join("\n")}
esac
echo "no response for: $line" >&2
exit 99
`;

const Failure = z
  .object({ code: z.number().nullable(), stdout: z.string(), stderr: z.string() })
  .transform(({ code: status, ...output }) => ({ status, ...output }));

/** Runs a script to its end. Returns its status, what it printed, and the commands that it ran. */
export async function runScript(
  script: readonly string[],
  responses: readonly Response[],
  environment: Readonly<Record<string, string>> = {},
) {
  const folder = await mkdtemp(join(tmpdir(), "vmr-script-"));
  try {
    for (const name of ["az", "curl", "sleep"]) {
      await writeFile(join(folder, name), stubOf(responses));
      await chmod(join(folder, name), 0o755);
    }
    const result = await promisify(execFile)("sh", [...script], {
      env: {
        PATH: [folder, process.env["PATH"]].join(delimiter),
        STUB_FOLDER: folder,
        HEALTH_TRIES: "3",
        ...environment,
      },
    }).then(
      (output) => ({ status: 0, ...output }),
      (error: unknown) => Failure.parse(error),
    );
    const calls = await readFile(join(folder, "calls"), "utf8").catch(() => "");
    return { ...result, commands: calls.split("\n").filter((line) => line !== "") };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
