/** The lock file, parsed. */
import { readFileSync } from "node:fs";
import * as z from "zod";

const Entry = z.object({
  version: z.string(),
  license: z.string().optional(),
  integrity: z.string().optional(),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
  dev: z.boolean().default(false),
  hasInstallScript: z.boolean().default(false),
  inBundle: z.boolean().default(false),
});
const Lock = z.object({ lockfileVersion: z.number(), packages: z.record(z.string(), Entry) });

export const lockText = readFileSync("package-lock.json", "utf8");
export const { lockfileVersion, packages } = Lock.parse(JSON.parse(lockText));

/** Every package except the project itself. */
export const lockedPackages = Object.entries(packages)
  .filter(([path]) => path !== "")
  .map(([path, entry]) => ({ path, name: path.replace(/^.*node_modules\//, ""), ...entry }));
