/** Reads the arguments that follow a command's name. */
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { commonOptions } from "./common-options.ts";
import { UsageError } from "./failures.ts";
import type { Option } from "./options.ts";

interface Readable<Values, Argument> {
  readonly argument: Option<Argument> | undefined;
  readonly options: { readonly [Name in keyof Values]: Option<Values[Name]> };
}

interface Given<Values, Argument> {
  readonly options: Values;
  readonly argument: Argument;
  readonly common: Readonly<Record<string, string | undefined>>;
}

/** Returns the checked values. Throws UsageError that names the first wrong option or argument. */
export function readArguments<Values, Argument>(
  { argument, options }: Readable<Values, Argument>,
  given: readonly string[],
): Given<Values, Argument> {
  const all: Record<string, Option<unknown>> = { ...commonOptions, ...options };
  const { texts, positionals } = split(all, given);
  const [word, ...others] = positionals;
  const surplus = argument === undefined ? word : others[0];
  if (surplus !== undefined) throw new UsageError(`${surplus}: is one word too many`);
  const values = Object.entries<Option<unknown>>(options).map(([name, option]) => [
    name,
    readOne(`--${name}`, option, texts[name]),
  ]);
  const common = Object.entries<Option<unknown>>(commonOptions).map(([name, option]) => {
    readOne(`--${name}`, option, texts[name]);
    return [name, texts[name]];
  });
  return {
    options: Object.fromEntries(values) as Values,
    argument: (argument && readOne(argument.placeholder ?? "", argument, word)) as Argument,
    common: Object.fromEntries(common) as Given<Values, Argument>["common"],
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
