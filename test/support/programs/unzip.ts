/** `unzip -p <archive> <file>`, as infra/deploy.sh calls it. */
import { readFileSync } from "node:fs";
import { unzipSync } from "fflate";

const [option, archive = "", path = "", ...more] = process.argv.slice(2);
const contents = unzipSync(readFileSync(archive))[path];
if (option !== "-p" || !contents || more.length > 0) throw new Error("usage: unzip -p <archive> <file>");
process.stdout.write(contents);
