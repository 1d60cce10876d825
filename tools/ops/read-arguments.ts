/** Reads the arguments that follow a command's name. */
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { commonOptions } from "./common-options.ts";
import { UsageError } from "./failures.ts";
import type { Option } from "./options.ts";

type OptionsOf<Values> = { readonly [Name in keyof Values]: Option<Values[Name]> };
type ValuesOf<Options> = {
  readonly [Name in keyof Options]: Options[Name] extends Option<infer Value> ? Value : never;
};

/** The values of the options that every command has, by their names. */
export type CommonValues = ValuesOf<typeof commonOptions>;

interface Readable<Values, Argument> {
  readonly argument: Option<Argument> | undefined;
  readonly options: OptionsOf<Values>;
}

/** Returns the checked values. Throws UsageError that names the first wrong option or argument. */
export function readArguments<Values, Argument>(
  { argument, options }: Readable<Values, Argument>,
  given: readonly string[],
) {
  const { texts, positionals } = split({ ...commonOptions, ...options }, given);
  const [word, ...others] = positionals;
  const surplus = argument === undefined ? word : others[0];
  if (surplus !== undefined) throw new UsageError(`${surplus}: is one word too many`);
  const read = (known: Readonly<Record<string, Option<unknown>>>): unknown =>
    Object.fromEntries(
      Object.entries(known).map(([name, option]) => [name, readOne(`--${name}`, option, texts[name])]),
    );
  return {
    options: read({ ...options }) as Values,
    argument: (argument && readOne(argument.placeholder ?? "", argument, word)) as Argument,
    common: read(commonOptions) as CommonValues,
  };
}

function readOne<Value>(name: string, option: Option<Value>, text: string | undefined): Value {
  try {
    return option.read(text);
  } catch (error) {
    throw new UsageError(`${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Splits the arguments into options and words. Throws UsageError if there is no such option or its value is missing. */
function split(known: Readonly<Record<string, Option<unknown>>>, given: readonly string[]) {
  const config: ParseArgsOptionsConfig = Object.fromEntries(
    Object.entries(known).map(([name, { placeholder }]) => [
      name,
      { type: placeholder === undefined ? "boolean" : "string" },
    ]),
  );
  const { tokens } = parseArgs({
    args: [...given],
    options: config,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const texts: Record<string, string> = {};
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") positionals.push(token.value);
    if (token.kind !== "option") continue;
    const { name, rawName, value } = token;
    const option = known[name];
    if (!option || rawName !== `--${name}`) throw new UsageError(`${rawName}: there is no such option`);
    if (name in texts) throw new UsageError(`--${name}: is given twice`);
    if (option.placeholder !== undefined && (value === undefined || value.startsWith("--")))
      throw new UsageError(`--${name}: needs a value`);
    if (option.placeholder === undefined && value !== undefined)
      throw new UsageError(`--${name}: takes no value`);
    texts[name] = value ?? "";
  }
  return { texts, positionals };
}
