/** Finds and runs the Bicep compiler. */
import { spawnSync } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";
import { compilerVersion } from "./inputs.ts";

const platforms: Readonly<Record<string, string>> = { linux: "linux", darwin: "osx", win32: "win" };
const packageName = `Azure.Bicep.CommandLine.${platforms[process.platform]}-${process.arch}`;
// The second is where `az bicep install` puts it.
const candidates = ["bicep", join(homedir(), ".azure", "bin", "bicep")];

/** Returns a compiler of the repository's version. Throws an Error that says how to get it. */
export function findCompiler(): string {
  const found = candidates.flatMap((program) => {
    const { stdout } = spawnSync(program, ["--version"], { encoding: "utf8" });
    const [, version] = / version ([\d.]+)/.exec(stdout ?? "") ?? [];
    return version === undefined ? [] : [{ program, version }];
  });
  const compiler = found.find(({ version }) => version === compilerVersion);
  if (compiler) return compiler.program;
  const others = found.map(({ program, version }) => `${program} is ${version}`).join(", ");
  throw new Error(
    `The snapshots need Bicep ${compilerVersion}${others && ` (${others})`}: az bicep install --version v${compilerVersion}, ` +
      `or the NuGet package ${packageName}, whose tools/bicep must be on the PATH`,
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
