/** Reports changes of the app's files. */
import { watch } from "chokidar";

// A checkout writes many files.
const quietMilliseconds = 200;

/**
 * Calls back with the path of one changed file after each burst of changes in `src` or of host.json. Returns a function
 * that ends it.
 */
export function watchApp(onChange: (file: string) => void): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch(["src", "host.json"], { ignoreInitial: true, atomic: true });
  // For example at the system's limit of watches: the gateway keeps running.
  watcher.on("error", (error) => console.error(`--watch does not see every change: ${String(error)}`));
  watcher.on("all", (_event, file) => {
    clearTimeout(timer);
    timer = setTimeout(() => onChange(file), quietMilliseconds);
  });
  return async () => {
    clearTimeout(timer);
    await watcher.close();
  };
}
