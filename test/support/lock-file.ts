/** The lock file, parsed. */
import { readFileSync } from "node:fs";
import * as z from "zod";

const Entry = z.object({
  version: z.string().optional(),
  license: z.string().optional(),
  integrity: z.string().optional(),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
  link: z.boolean().default(false),
  dev: z.boolean().default(false),
  inBundle: z.boolean().default(false),
});
const Lock = z.object({ packages: z.record(z.string(), Entry) });

const { packages } = Lock.parse(JSON.parse(readFileSync("package-lock.json", "utf8")));

/** Every package except those of this repository. */
export const lockedPackages = Object.entries(packages)
  .filter(([path, { link }]) => path.includes("node_modules/") && !link)
  .map(([path, entry]) => ({ path, name: path.replace(/^.*node_modules\//, ""), ...entry }));
