/** Creates commands with help and one-line errors. */
import { Command, InvalidArgumentError } from "@commander-js/extra-typings";

const misuse = 2;

/** The output of a command, and the function that ends it. */
export interface Surroundings {
  readonly print: (text: string) => void;
  readonly remark: (text: string) => void;
  /** Ends the command with 0 after its help, and with 2 if it was misused. */
  readonly exit: (code: number) => never;
}

const ofProcess: Surroundings = {
  print: (text) => void process.stdout.write(text),
  remark: (text) => void process.stderr.write(text),
  exit: (code) => process.exit(code),
};

/** Creates a command without arguments. If it is misused, it prints one line to standard error and exits with 2. */
export function createCommand(name: string, description: string, surroundings?: Surroundings) {
  return configure(new Command(name), `${name} --`, surroundings)
    .usage("[-- options]")
    .description(description);
}

/** Adds help to a command, and one-line errors that name `call`, which is typed before `--help`. */
export function configure<Configured extends Command>(
  command: Configured,
  call: string,
  surroundings: Surroundings = ofProcess,
): Configured {
  command
    .helpOption("-h, --help", "Shows this help.")
    .allowExcessArguments(false)
    .configureOutput({
      writeOut: surroundings.print,
      writeErr: surroundings.remark,
      outputError: (text, write) =>
        write(`${call.replace(/ --$/, "")}: ${inOneLine(text)}${hintAt(text, call)} See ${call} --help.\n`),
    })
    .exitOverride(({ exitCode }) => surroundings.exit(exitCode === 0 ? 0 : misuse));
  return command;
}

/** Parses a whole number within these bounds. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}

/** Parses a name that matches the expression. */
export function nameLike(expression: RegExp): (text: string) => string {
  return (text) => {
    if (expression.test(text)) return text;
    throw new InvalidArgumentError("It must be a name.");
  };
}

/** Without the two hyphens, npm takes the options for its own and passes only their values on. */
function hintAt(text: string, call: string): string {
  return text.includes("too many arguments") && call.endsWith("--")
    ? ` Write options after \`${call}\`.`
    : "";
}

/** Leaves out the value, which can be a secret. */
function inOneLine(text: string): string {
  const line = text
    .replace("error: ", "")
    .trim()
    .replaceAll(/\s*\n\s*/g, " ");
  return line
    .replace(/ argument '.*' is invalid\./, ":")
    .replace(/^command-argument value '.*' is invalid for argument ('[^']*')\./, "argument $1:")
    .replace(/[^.)]$/, "$&.");
}
