/** The local.settings.json that `func start` reads, written for the time that a development stack runs. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import * as z from "zod";

/** Marks a file as ours. It stands among the values, where every Core Tools version keeps it. */
const authorName = "LOCAL_SETTINGS_WRITTEN_BY";
const author = "npm run stack";

const writtenSchema = z.object({ Values: z.object({ [authorName]: z.literal(author) }) });

/** What stands at the path: nothing, a file that an earlier stack left behind, or somebody's own. */
export function ownerOf(path: string): "nobody" | "stack" | "somebody" {
  if (!existsSync(path)) return "nobody";
  try {
    return writtenSchema.safeParse(JSON.parse(readFileSync(path, "utf8"))).success ? "stack" : "somebody";
  } catch {
    return "somebody";
  }
}

/**
 * Writes the file, over whatever is there, and returns its text. The settings are the app's; the port is the
 * one that `func start` will listen on.
 */
export function writeSettingsFile(path: string, settings: Record<string, string>, port: number): string {
  const content = {
    IsEncrypted: false,
    Values: { FUNCTIONS_WORKER_RUNTIME: "node", ...settings, [authorName]: author },
    Host: { LocalHttpPort: port },
  };
  const text = `${JSON.stringify(content, undefined, 2)}\n`;
  writeFileSync(path, text, { mode: 0o600 });
  return text;
}

/** Removes the file when its text is still the one written here; for the very end of a process. */
export function removeSettingsFile(path: string, text: string): void {
  try {
    if (readFileSync(path, "utf8") === text) rmSync(path);
  } catch {
    // Somebody has removed it already.
  }
}
