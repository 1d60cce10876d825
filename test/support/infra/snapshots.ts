/** The committed snapshots: what Azure would be asked for, as the Bicep compiler predicts it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { scenarios, snapshotFolder } from "../../../scripts/snapshots/inputs.ts";

const Resource = z.looseObject({
  id: z.string(),
  type: z.string(),
  name: z.string().default(""),
  tags: z.record(z.string(), z.string()).optional(),
  // biome-ignore lint/suspicious/noExplicitAny: each test reads the properties of its types.
  properties: z.record(z.string(), z.any()).default({}),
});
export type Resource = z.infer<typeof Resource>;

const Snapshot = z.object({
  resources: z.array(Resource),
  outputs: z.record(z.string(), z.string()),
});
export type Snapshot = z.infer<typeof Snapshot>;

const readJson = (name: string): unknown =>
  JSON.parse(readFileSync(join(snapshotFolder, `${name}.json`), "utf8"));

/** Every snapshot by its name: those of two environments, and one where everything exists. */
export const snapshots = new Map(scenarios.map((name) => [name, Snapshot.parse(readJson(name))] as const));

/** Returns a snapshot. Throws an Error if there is none of this name. */
export function snapshotOf(name: string): Snapshot {
  const found = snapshots.get(name);
  if (!found) throw new Error(`There is no snapshot ${name}`);
  return found;
}

/** Returns the resources of a type, without the prefix `Microsoft.`. */
export function allOf({ resources }: Snapshot, type: string): Resource[] {
  return resources.filter((resource) => resource.type === `Microsoft.${type}`);
}

/** Returns the only resource of a type. Throws an Error if there are more or none. */
export function onlyOf(snapshot: Snapshot, type: string): Resource {
  const [found, ...others] = allOf(snapshot, type);
  if (!found || others.length > 0) throw new Error(`There is not exactly one ${type}`);
  return found;
}

export const lastOf = (path: string): string => path.split("/").at(-1) ?? "";

/** Returns a text without the hashes that make names unique. */
export function withoutHash(text: string): string {
  return text.replaceAll(/(?<=-|stvmr|stvmrpkg)[a-z0-9]{13}\b/g, "<hash>");
}
