/** Finds the line that a message about a missing entry points to. */
import { readFileSync } from "node:fs";

/** Returns `file:line` of the first line that contains a text. Throws an error if no line does. */
export function placeOf(file: string, text: string): string {
  const lines = readFileSync(new URL(`../../../${file}`, import.meta.url), "utf8").split("\n");
  const index = lines.findIndex((line) => line.includes(text));
  if (index < 0) throw new Error(`${file} has no line with ${text}`);
  return `${file}:${index + 1}`;
}
