/** Rules for a text, as a table: the title of each rule, and indented below it what the text contains, in this order. */
import { expect } from "vitest";

/** Returns the rules of a table as rows for `test.each`. */
export function rulesIn(table: string): [title: string, parts: string[]][] {
  const rules = table.trim().split(/\n(?=\S)/);
  return rules.map((rule) => {
    const [title = "", ...parts] = rule.split("\n  ");
    return [title, parts];
  });
}

export function expectInOrder(text: string, parts: readonly string[]): void {
  let place = -1;
  for (const part of parts) {
    place = text.indexOf(part, place + 1);
    expect([part, place === -1, text]).toEqual([part, false, text]);
  }
}
