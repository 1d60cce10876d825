/** Builds the deployment zip reproducibly: the same files give the same bytes. */
import { zipSync } from "fflate";

// Zip timestamps have no time zone: a date of local parts makes the archive identical on every machine.
const mtime = new Date(1980, 0, 1);
const unix = 3;
const readableFile = 0o100644 * 2 ** 16;

/** Zips the files in the order of their paths, all with the same time, readable by everyone. */
export function createArchive(files: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const sorted = [...files].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return zipSync(Object.fromEntries(sorted), { mtime, os: unix, attrs: readableFile, level: 9 });
}
