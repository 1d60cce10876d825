/** Reads the options of a command line. */
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";

/** Returns the options' values. Ends the process with a one-line message if an option is unknown or malformed. */
export function readOptions<const Options extends ParseArgsOptionsConfig>(options: Options) {
  try {
    return parseArgs({ options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    const names = Object.keys(options).map((name) => `--${name}`);
    console.error(`${error instanceof Error ? error.message : String(error)} (options: ${names.join(", ")})`);
    process.exit(2);
  }
}
