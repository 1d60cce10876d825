/** The command lines of the scripts: help, and one line about misuse. */
import { Command } from "@commander-js/extra-typings";

const misuse = 2;

/** Creates a command without arguments. If it is misused, it prints one line to standard error and exits with 2. */
export function createCommand(name: string, description: string) {
  return new Command(name)
    .usage("[-- options]")
    .description(description)
    .helpOption("-h, --help", "Shows this help.")
    .allowExcessArguments(false)
    .configureOutput({
      outputError: (text, write) => write(`${name}: ${inOneLine(text)} See ${name} -- --help.\n`),
    })
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : misuse));
}

/** Leaves out the value, which can be a secret. */
function inOneLine(text: string): string {
  const line = text
    .replace("error: ", "")
    .trim()
    .replaceAll(/\s*\n\s*/g, " ");
  return line.replace(/ argument '.*' is invalid\./, ":").replace(/[^.)]$/, "$&.");
}
