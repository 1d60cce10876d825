/** The console's page as the server sends it, bundled when the console starts. */
import { fileURLToPath } from "node:url";
import { bundlePage, type PageFile } from "../pages/bundle-page.ts";

const folder = fileURLToPath(new URL("page/", import.meta.url));

/** Returns the files by name. Throws esbuild's list of faults. */
export async function consoleFiles(): Promise<ReadonlyMap<string, PageFile>> {
  return bundlePage({ folder, entry: "main.tsx", name: "console" });
}
