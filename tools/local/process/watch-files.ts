/** Reports changes of files. */
import { watch } from "node:fs";

// An editor writes a file in several steps, and a checkout writes many files.
const quietMilliseconds = 200;

/** Calls back with a file's path once after each burst of changes to these files and folders. Returns a function that ends it. */
export function watchFiles(paths: readonly string[], onChange: (file: string) => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const watchers = paths.map((path) =>
    watch(path, { recursive: true }, (_, name) => {
      clearTimeout(timer);
      timer = setTimeout(
        onChange,
        quietMilliseconds,
        name === null || name === path ? path : `${path}/${name}`,
      );
    }),
  );
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}
