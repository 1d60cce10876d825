/** Reports changes of files. */
import { readdirSync, readFileSync, statSync, watch } from "node:fs";
import { join } from "node:path";

// An editor writes a file in several steps, and a checkout writes many files.
const quietMilliseconds = 200;

/**
 * Calls back with the path of one changed file after each burst of changes to these files and folders. A file that is
 * written with the same content has not changed. Returns a function that ends it.
 */
export function watchFiles(paths: readonly string[], onChange: (file: string) => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let known = contents(paths);
  const compare = (): void => {
    const before = known;
    known = contents(paths);
    const all = new Set([...before.keys(), ...known.keys()]);
    const changed = [...all].find((file) => before.get(file) !== known.get(file));
    if (changed !== undefined) onChange(changed);
  };
  const watchers = paths.map((path) =>
    watch(path, { recursive: true }, () => {
      clearTimeout(timer);
      timer = setTimeout(compare, quietMilliseconds);
    }),
  );
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}

/** Returns the content of each file by its path. */
function contents(paths: readonly string[]): Map<string, string> {
  const filesIn = (path: string): string[] =>
    statSync(path).isDirectory()
      ? readdirSync(path, { withFileTypes: true, recursive: true })
          .filter((entry) => entry.isFile())
          .map(({ parentPath, name }) => join(parentPath, name))
      : [path];
  return new Map(paths.flatMap(filesIn).map((file) => [file, readFileSync(file, "utf8")]));
}
