/** Finds the HTTP functions of the app: each file in src/functions exports one, under the name that it is registered by. */
import { readdir, readFile } from "node:fs/promises";
import type { HttpContract } from "../../../src/lib/http/contract.ts";

const folder = new URL("../../../src/functions/", import.meta.url);

/**
 * Loads the contracts of all HTTP functions by name, in the order in which src/main.ts registers them, which is a
 * reader's. Functions that it does not register come last.
 */
export async function loadHttpContracts(): Promise<Readonly<Record<string, HttpContract>>> {
  const main = await readFile(new URL("../main.ts", folder), "utf8");
  // The names of timers and queue functions end in `.timer.ts` and `.queue.ts`.
  const files = (await readdir(folder)).filter((file) => /^[a-z-]+\.ts$/.test(file));
  const modules = await Promise.all(
    files.map(async (file) => (await import(new URL(file, folder).href)) as Record<string, HttpContract>),
  );
  const place = (name: string) => main.indexOf(`\n  ${name},`) >>> 0;
  const contracts = modules.flatMap((module) => Object.entries(module));
  return Object.fromEntries(contracts.toSorted(([one], [other]) => place(one) - place(other)));
}
