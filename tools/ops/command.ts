/** A command of `npm run ops`: one entry with its name, summary, options and work. */
import type { ExitCode } from "./exit-codes.ts";
import type { Option } from "./options.ts";
import { type CommonValues, readArguments } from "./read-arguments.ts";
import type { Target } from "./target/target.ts";
import type { Terminal } from "./terminal/terminal.ts";

/** What a command works with. */
export interface Context {
  readonly terminal: Terminal;
  /** Aborts on Ctrl-C. */
  readonly stopping: AbortSignal;
  /** Connects to the gateway that the options name. Throws UsageError or UnreachableError. */
  readonly connect: () => Promise<Target>;
}

type OptionsOf<Values> = { readonly [Name in keyof Values]: Option<Values[Name]> };

/** A command as its file defines it. */
export interface CommandDefinition<Values, Argument> {
  readonly name: string;
  /** One line: a verb in the third person, without a full stop. */
  readonly summary: string;
  /** Further lines of the command's help. */
  readonly details?: readonly string[];
  /** The one word that may follow the command's name. */
  readonly argument?: Option<Argument>;
  readonly options: OptionsOf<Values>;
  readonly run: (
    given: { readonly options: Values; readonly argument: Argument },
    context: Context,
  ) => Promise<ExitCode>;
}

/** A command, whatever its options. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly details: readonly string[];
  readonly argument: Option<unknown> | undefined;
  readonly options: Readonly<Record<string, Option<unknown>>>;
  /** Reads the arguments after the command's name and does the work. Throws UsageError if they are wrong. */
  readonly start: (given: readonly string[], open: (common: CommonValues) => Context) => Promise<ExitCode>;
}

/** Returns the command that a file defines. */
export function defineCommand<Values extends object, Argument = undefined>(
  definition: CommandDefinition<Values, Argument>,
): Command {
  const { name, summary, details = [], argument, options, run } = definition;
  return {
    name,
    summary,
    details,
    argument,
    options: options as Readonly<Record<string, Option<unknown>>>,
    start: async (given, open) => {
      const { common, ...values } = readArguments<Values, Argument>({ argument, options }, given);
      return run(values, open(common));
    },
  };
}
