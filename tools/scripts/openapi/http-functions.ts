/** Finds the functions of the app: each file in src/functions exports one, under the name that it is registered by. */
import { readdir, readFile } from "node:fs/promises";
import type { Dependencies } from "../../../src/lib/dependencies.ts";
import type { HttpContract, HttpFunction } from "../../../src/lib/http/contract.ts";
import type { QueueFunction } from "../../../src/lib/http/queue-function.ts";
import type { TimerFunction } from "../../../src/lib/http/timer-function.ts";

const folder = new URL("../../../src/functions/", import.meta.url);

/** The functions by trigger and name, as src/main.ts registers them. */
export interface AppFunctions {
  readonly http: Readonly<Record<string, HttpFunction<Dependencies>>>;
  readonly timers: Readonly<Record<string, TimerFunction<Dependencies>>>;
  readonly queues: Readonly<Record<string, QueueFunction<Dependencies>>>;
}

/** Loads all functions. The ending of a file's name states its trigger: `.timer.ts`, `.queue.ts`, or HTTP. */
export async function loadFunctions(): Promise<AppFunctions> {
  const files = (await readdir(folder)).toSorted();
  return {
    http: await load(files.filter((file) => /^[a-z-]+\.ts$/.test(file))),
    timers: await load(files.filter((file) => file.endsWith(".timer.ts"))),
    queues: await load(files.filter((file) => file.endsWith(".queue.ts"))),
  };
}

/**
 * Loads the contracts of all HTTP functions by name, in the order in which src/main.ts registers them, which is a
 * reader's. Functions that it does not register come last.
 */
export async function loadHttpContracts(): Promise<Readonly<Record<string, HttpContract>>> {
  const main = await readFile(new URL("../main.ts", folder), "utf8");
  const { http } = await loadFunctions();
  const place = (name: string) => main.indexOf(`\n  ${name},`) >>> 0;
  return Object.fromEntries(Object.entries(http).toSorted(([one], [other]) => place(one) - place(other)));
}

async function load<Definition>(files: readonly string[]): Promise<Record<string, Definition>> {
  const modules = await Promise.all(
    files.map(async (file) => (await import(new URL(file, folder).href)) as Record<string, Definition>),
  );
  return Object.assign({}, ...modules) as Record<string, Definition>;
}
