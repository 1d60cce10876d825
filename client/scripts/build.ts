/** Builds the client's package: client/dist with modules and their types, and the licence. */
import { execFile } from "node:child_process";
import { copyFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { writeClientTypes } from "./types.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Writes dist/ and LICENSE into the folder, replacing what an earlier build has left. Throws if there are faults. */
export async function compileClient(folder: string): Promise<void> {
  await writeClientTypes();
  const dist = join(folder, "dist");
  await rm(dist, { recursive: true, force: true });
  const tsc = join(root, "node_modules/.bin/tsc");
  await promisify(execFile)(tsc, ["-p", join(root, "client"), "--outDir", dist]);
  await copyFile(join(root, "LICENSE"), join(folder, "LICENSE"));
}

if (import.meta.main) {
  await compileClient(join(root, "client"));
  console.log("client/dist");
}
