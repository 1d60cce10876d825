/** The help of `npm run ops` and of each command. */
import type { Command } from "./command.ts";
import { commonOptions } from "./common-options.ts";
import { exitCodes } from "./exit-codes.ts";
import type { Option } from "./options.ts";
import { table } from "./terminal/format.ts";

/** Returns how a command is called, for example `shrink N` or `fill [N]`. */
export function usageOf({ name, argument }: Pick<Command, "name" | "argument">): string {
  if (argument === undefined) return name;
  const { placeholder = "", isRequired } = argument;
  return `${name} ${isRequired ? placeholder : `[${placeholder}]`}`;
}

/** Returns the list of commands. */
export function generalHelp(commands: readonly Command[]): string {
  return [
    "Operates a VMR gateway: npm run ops -- COMMAND [options]",
    "",
    ...indented(commands.map((command) => [usageOf(command), command.summary])),
    "",
    "Which gateway:",
    ...optionLines(commonOptions),
    "",
    "Nothing is deleted without --yes. Exit codes:",
    ...indented(Object.values(exitCodes).map(({ code, meaning }) => [String(code), meaning])),
  ].join("\n");
}

/** Returns the help of one command. */
export function commandHelp(command: Command): string {
  const { summary, details, argument, options } = command;
  const own = { ...(argument && { [argument.placeholder ?? ""]: argument }) };
  return [
    `npm run ops -- ${usageOf(command)} [options]`,
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
    ...details,
    "",
    ...indented(Object.entries(own).map(([name, { description }]) => [name, description])),
    ...optionLines({ ...options, ...commonOptions }),
  ].join("\n");
}

function optionLines(options: Readonly<Record<string, Option<unknown>>>): string[] {
  return indented(
    Object.entries(options).map(([name, { placeholder, description }]) => [
      `--${name}${placeholder === undefined ? "" : ` ${placeholder}`}`,
      description,
    ]),
  );
}

function indented(rows: readonly (readonly string[])[]): string[] {
  return table(rows).map((line) => `  ${line}`);
}
