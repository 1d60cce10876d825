/** Reports changes of the app's files. */
import { watch } from "node:fs";

// An editor writes a file in several steps, and a checkout writes many files.
const quietMilliseconds = 200;

/**
 * Calls back with the path of one changed file after each burst of changes in `src` or of host.json. Returns a function
 * that ends it.
 */
export function watchApp(onChange: (file: string) => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  function restart(file: string): void {
    clearTimeout(timer);
    timer = setTimeout(() => onChange(file), quietMilliseconds);
  }
  const source = watch("src", { recursive: true }, (_event, file) => restart(`src/${file}`));
  // The folder, because an editor can replace the file by another one of its name.
  const folder = watch(".", (_event, file) => {
    if (file === "host.json") restart(file);
  });
  return () => {
    clearTimeout(timer);
    source.close();
    folder.close();
  };
}
