/** The kinds of options and arguments that a command can have. */

/** How an option is shown in the help and read from the command line. */
export interface Option<Value> {
  readonly description: string;
  /** What stands for the value in the help. A flag has none. */
  readonly placeholder?: string;
  readonly isRequired?: true;
  /** Returns the value, also for an option that was not given. Throws an Error that says what the value must be. */
  readonly read: (text: string | undefined) => Value;
}

/** Creates an option without a value. */
export function flag(description: string): Option<boolean> {
  return { description, read: (text) => text !== undefined };
}

/** The option without which nothing is changed. */
export const yes = flag("does it; without it, the command only says what it would do");

/** Creates an option with any text as its value. */
export function text(placeholder: string, description: string): Option<string | undefined> {
  return {
    description,
    placeholder,
    read: (given) => {
      if (given?.trim() === "") throw new Error("must not be empty");
      return given;
    },
  };
}

/** Creates an option that is one of several words. */
export function choice<const Choices extends readonly string[]>(
  choices: Choices,
  description: string,
): Option<Choices[number] | undefined> {
  return {
    description,
    placeholder: choices.join("|"),
    read: (given) => {
      const found = choices.find((name) => name === given);
      if (given !== undefined && found === undefined) throw new Error(`must be ${choices.join(" or ")}`);
      return found;
    },
  };
}

type Range = readonly [minimum: number, maximum: number];

/** Creates an option that is a whole number, undefined if it is missing. */
export function number(placeholder: string, description: string, range: Range): Option<number | undefined> {
  return { description, placeholder, read: numberIn(range, /^\d+$/, "a whole number") };
}

/** Creates an option that is a number with or without decimals, undefined if it is missing. */
export function decimal(placeholder: string, description: string, range: Range): Option<number | undefined> {
  return { description, placeholder, read: numberIn(range, /^\d+(?:\.\d+)?$/, "a number") };
}

function numberIn([minimum, maximum]: Range, pattern: RegExp, kind: string) {
  return (given: string | undefined): number | undefined => {
    if (given === undefined) return undefined;
    const value = Number(given);
    if (!pattern.test(given) || value < minimum || value > maximum)
      throw new Error(`must be ${kind} from ${minimum} to ${maximum}`);
    return value;
  };
}

/** Returns the option with a value that it has if it is missing. */
export function withDefault<Value>(option: Option<Value | undefined>, initial: Value): Option<Value> {
  const description = `${option.description} (default: ${String(initial)})`;
  return { ...option, description, read: (given) => option.read(given) ?? initial };
}

/** Returns the option as one that must be given. */
export function required<Value>(option: Option<Value | undefined>): Option<Value> {
  return {
    ...option,
    isRequired: true,
    read: (given) => {
      const value = option.read(given);
      if (value === undefined) throw new Error("is required");
      return value;
    },
  };
}
