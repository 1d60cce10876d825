/** The imports of a source file, as far as the tests of the architecture need them. */
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

export const projectRoot = fileURLToPath(new URL("../..", import.meta.url));

export interface Import {
  /** A path below the project's root, or the name of a package. */
  readonly target: string;
  /** Whether stripping the types removes the import. */
  readonly isType: boolean;
}

const statement = /^(?:import|export)\s+(type\s)?(?:[^;"(=]*?\sfrom\s+)?"([^"]+)"/gm;
const dynamicImport = /\bimport\("([^"]+)"\)/g;

/** Returns the imports and re-exports of a file, static and dynamic. */
export function importsOf(file: string): Import[] {
  const text = readFileSync(join(projectRoot, file), "utf8");
  const resolve = (target: string) =>
    target.startsWith(".") ? normalize(join(dirname(file), target)).replaceAll("\\", "/") : target;
  return [
    ...Array.from(text.matchAll(statement), ([, type, target = ""]) => ({
      target: resolve(target),
      isType: type !== undefined,
    })),
    ...Array.from(text.matchAll(dynamicImport), ([, target = ""]) => ({
      target: resolve(target),
      isType: false,
    })),
  ];
}
