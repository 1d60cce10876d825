/** The program behind `npm run ops`: common options, errors and exit codes. */
import { Command, Option } from "@commander-js/extra-typings";
import { version } from "../../src/lib/version.ts";
import { configure, type Surroundings } from "../terminal/create-command.ts";
import type { connect, GatewayOptions } from "./gateway/connect.ts";
import { type Environment, headerOf, type Target } from "./gateway/target.ts";
import { describeError, exitCodes, type Outcome } from "./outcomes.ts";
import type { Terminal } from "./terminal.ts";

/** The context of a command. */
export interface Context extends Pick<ProgramOptions, "terminal" | "stopping"> {
  /** Prints the last line of a result, and returns how the command ends. */
  readonly conclude: (outcome: Outcome, line: string) => Outcome;
  /** Connects to the gateway that the options name. Throws UsageError or UnreachableError. */
  readonly connect: () => Promise<Target>;
}

/** The environment of the program. */
export interface ProgramOptions {
  readonly terminal: Terminal;
  /** Aborts on Ctrl-C. */
  readonly stopping: AbortSignal;
  readonly environment: Environment;
  readonly connect: typeof connect;
}

/** Adds the command of a file. */
export interface Operator {
  /** Adds a command. `summary` is one line: a verb in the third person, without a full stop. */
  readonly command: (name: string, summary: string, details?: string) => ReturnType<typeof gatewayCommand>;
  /** Returns the action that does a command's work on the gateway that its options name. */
  readonly run: <Options>(
    work: (options: Options, context: Context) => Promise<Outcome>,
  ) => (options: GatewayOptions & Options) => Promise<void>;
}

/** The options without a value that a command has. */
export type Flags<Name extends string> = { readonly [Each in Name]?: true };

/** Adds a command to the program. */
type AddCommand = (operator: Operator) => void;

/** Commands with one heading in the help. */
export interface CommandGroup {
  readonly heading: string;
  /** Whether each of them first says which gateway it acts on. */
  readonly changesGateway: boolean;
  readonly added: readonly AddCommand[];
}

const call = "npm run ops --";

/** Ends the program from within the parser, after help or misuse. */
class Ended extends Error {
  readonly outcome: Outcome;

  constructor(outcome: Outcome) {
    super(outcome);
    this.outcome = outcome;
  }
}

/** Runs the command that the arguments name. Never throws. */
export async function runProgram(
  groups: readonly CommandGroup[],
  given: readonly string[],
  { terminal, stopping, environment, connect: connectTo }: ProgramOptions,
): Promise<Outcome> {
  let outcome: Outcome = "ok";
  const surroundings: Surroundings = {
    print: (text) => terminal.print(text.trimEnd()),
    remark: (text) => terminal.remark(text.trimEnd()),
    exit: (code) => {
      throw new Ended(code === 0 ? "ok" : "usage");
    },
  };
  const program = configure(new Command(call), call, surroundings)
    .usage("COMMAND [options]")
    .description("Operates a VMR gateway.")
    .version(version, "--version", "Shows the version of these commands.")
    .addHelpText("after", `\nNothing is deleted without --yes. Exit codes:\n${exitCodeLines()}`);
  const operatorOf = ({ heading, changesGateway }: CommandGroup): Operator => ({
    command: (name, summary, details = "") => {
      const command = configure(gatewayCommand(name), `${call} ${name}`, surroundings)
        .summary(summary)
        .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.${details && ` ${details}`}`)
        .helpGroup(heading);
      program.addCommand(command);
      return command;
    },
    run: (work) => async (options) => {
      const connectAndTell = async () => {
        const target = await connectTo(options, environment);
        if (changesGateway) terminal.remark(`On ${headerOf(target)}:`);
        return target;
      };
      const conclude = (outcome: Outcome, line: string): Outcome => {
        terminal.print(line);
        return outcome;
      };
      outcome = await work(options, { terminal, stopping, conclude, connect: connectAndTell });
    },
  });
  for (const group of groups) {
    const operator = operatorOf(group);
    for (const addTo of group.added) addTo(operator);
  }
  try {
    await program.parseAsync(given, { from: "user" });
  } catch (error) {
    if (error instanceof Ended) return error.outcome;
    const described = describeError(error, `${call} ${given[0]}`);
    outcome = stopping.aborted ? "interrupted" : described.outcome;
    if (outcome !== "interrupted") terminal.remark(described.line);
  }
  if (outcome === "interrupted") terminal.remark("Interrupted. It is safe to run the command again.");
  return outcome;
}

/** The options that name the gateway. */
function gatewayCommand(name: string) {
  const environment = new Option(
    "--environment <name>",
    "The deployment of infra/environments/<name>.env. Default: the variables of docs/operations.md.",
  ).conflicts("local");
  return new Command(name)
    .optionsGroup("Which gateway:")
    .option(
      "--local",
      "The gateway that `npm start` runs on this machine; of several, the one that started last.",
    )
    .addOption(environment)
    .optionsGroup("Options:");
}

function exitCodeLines(): string {
  return Object.values(exitCodes)
    .map(({ code, meaning }) => `  ${String(code).padEnd(3)}  ${meaning}`)
    .join("\n");
}
