/** Finds and runs the Bicep compiler. */
import { spawnSync } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";
import { compilerVersion } from "./inputs.ts";

// The second is where `az bicep install` puts it.
const candidates = ["bicep", join(homedir(), ".azure", "bin", "bicep")];

/** Returns a compiler of the repository's version. Throws an Error that says how to get it. */
export function findCompiler(): string {
  const compiler = candidates.find((program) => {
    const { stdout } = spawnSync(program, ["--version"], { encoding: "utf8" });
    return / version ([\d.]+)/.exec(stdout ?? "")?.[1] === compilerVersion;
  });
  if (compiler !== undefined) return compiler;
  throw new Error(
    `The snapshots need Bicep ${compilerVersion}: az bicep install --version v${compilerVersion}, or a bicep on the ` +
      "PATH, such as tools/bicep of the NuGet package Azure.Bicep.CommandLine of your platform",
  );
}

/** What the compiler itself needs of the environment. Everything else comes from a fixture. */
const systemNames = ["PATH", "HOME", "USERPROFILE", "SystemRoot", "TEMP", "TMP", "TMPDIR"];
const system = Object.fromEntries(systemNames.map((name) => [name, process.env[name]]));

/**
 * Returns what the compiler writes to stdout. Throws an Error with its diagnostics if there is any, because the compiler
 * itself ends with 0 after a warning.
 */
export function runCompiler(
  program: string,
  options: readonly string[],
  environment: Readonly<Record<string, string | undefined>> = {},
): string {
  const { stdout, stderr, error } = spawnSync(program, options, {
    encoding: "utf8",
    env: { ...system, ...environment },
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error) throw error;
  if (stderr.trim() !== "") throw new Error(stderr.trim());
  return stdout;
}
