/** The local.settings.json that `func start` reads, which exists while a development stack runs. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import * as z from "zod";

/** Marks a file written by the stack. It is one of the values, which every Core Tools version keeps. */
const authorName = "LOCAL_SETTINGS_WRITTEN_BY";
const author = "npm run stack";

const writtenSchema = z.object({ Values: z.object({ [authorName]: z.literal(author) }) });

/** Returns who wrote the file at the path: nobody (no file), an earlier stack, or somebody else. */
export function ownerOf(path: string): "nobody" | "stack" | "somebody" {
  if (!existsSync(path)) return "nobody";
  try {
    return writtenSchema.safeParse(JSON.parse(readFileSync(path, "utf8"))).success ? "stack" : "somebody";
  } catch {
    return "somebody";
  }
}

/**
 * Writes the file, replacing an existing one, and returns its text. `func start` will listen on the port.
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

/** Removes the file if its text has not changed. Synchronous, because it runs while the process exits. */
export function removeSettingsFile(path: string, text: string): void {
  try {
    if (readFileSync(path, "utf8") === text) rmSync(path);
  } catch {
    // It has been removed already.
  }
}
