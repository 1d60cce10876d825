/** The client's package, built and packed as it is published. */
import { execFile } from "node:child_process";
import { copyFile, mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { useStarted } from "../../test/support/use-started.ts";
import { compileClient } from "../scripts/build.ts";

const run = promisify(execFile);

/** One package for all tests of the file. */
export function useClientPackage() {
  return useStarted(packClient);
}

async function packClient() {
  // Outside the project, so that no node_modules is found from it.
  const folder = await realpath(await mkdtemp(join(tmpdir(), "vmr-client-")));
  const stop = async () => rm(folder, { recursive: true, force: true });
  try {
    for (const file of ["package.json", "README.md"]) {
      await copyFile(new URL(`../${file}`, import.meta.url), join(folder, file));
    }
    await compileClient(folder);
    await run("npm", ["pack", "--silent", "--offline", "--ignore-scripts"], { cwd: folder });
    const { name, version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    return { folder, tarball: join(folder, `${name}-${version}.tgz`), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
