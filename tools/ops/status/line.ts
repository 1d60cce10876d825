/** One line of `ops status`. */
import { styleText } from "node:util";
import type { Terminal } from "../terminal.ts";

/** What a check found. */
export interface Finding {
  /** Undefined if it is neither good nor bad, because it cannot be told. */
  readonly isOk: boolean | undefined;
  readonly found: string;
  /** What to do, with the section of the runbook. */
  readonly advice?: string | undefined;
}

export interface Line extends Finding {
  readonly name: string;
}

export const unknown: Finding = { isOk: undefined, found: "unknown" };

/** Returns a finding that has the advice only if it is not good. */
export function judged(isOk: boolean, found: string, advice: string): Finding {
  return isOk ? { isOk, found } : { isOk, found, advice };
}

/** Returns the advice to read a section of the runbook, and to run a command if there is one for it. */
export function runbook(section: string, command?: string): string {
  const run = command === undefined ? "" : `npm run ops -- ${command}; `;
  return `${run}docs/operations.md#${section}`;
}

const colours = { ok: "green", "!!": "red", "??": "yellow" } as const;

/** Prints the line, in colour if the terminal has colours, and below it what to do about it. */
export function printLine({ name, isOk, found, advice }: Line, { print, isScreen }: Terminal): void {
  const state = isOk === undefined ? "??" : isOk ? "ok" : "!!";
  const mark = isScreen ? styleText(colours[state], state) : state;
  print(`  ${mark}  ${name.padEnd(16)}${found}`);
  if (advice !== undefined) print(`${" ".repeat(22)}${isOk === false ? "-> " : ""}${advice}`);
}
