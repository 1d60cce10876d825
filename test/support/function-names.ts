/** The names of all functions. Each file in src/functions exports one, under the name of the file in camel case. */
import { readdirSync } from "node:fs";

/** `get-room.ts` contains `getRoom`, `collect-garbage.timer.ts` contains `collectGarbage`. */
function nameOfFunctionIn(file: string): string {
  const stem = file.replace(/(?:\.timer|\.queue)?\.ts$/, "");
  return stem.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

export const functionNames = readdirSync(new URL("../../src/functions", import.meta.url))
  .map(nameOfFunctionIn)
  .toSorted();
