/** Finds the HTTP functions: each file in src/functions exports one value, under the name that it is registered by. */
import { readdir } from "node:fs/promises";
import type { HttpContract } from "../../src/lib/http/contract.ts";

const folder = new URL("../../src/functions/", import.meta.url);

/** The contracts of all HTTP functions by name. */
export async function loadHttpContracts(): Promise<Record<string, HttpContract>> {
  const files = (await readdir(folder)).filter((file) => /^[a-z-]+\.ts$/.test(file)).toSorted();
  const modules = await Promise.all(
    files.map(async (file) => (await import(new URL(file, folder).href)) as Record<string, HttpContract>),
  );
  return Object.assign({}, ...modules) as Record<string, HttpContract>;
}
