/** Puts the app, as it is deployed, into a folder of its own: nobody else's build changes it during a run. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createDeployment } from "../scripts/package/deployment.ts";

/** Gives the path of the bundle; host.json lies in the folder itself. */
export async function deployTo(folder: string): Promise<string> {
  for (const [path, contents] of await createDeployment()) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), contents);
  }
  return join(folder, "dist/main.js");
}
