/** Tables in the documents. */

interface Table {
  readonly head: readonly string[];
  readonly rows: readonly string[][];
}

/** Returns a table of the section with this heading, by default its first. Throws if there is none. */
export function tableBelow(document: string, heading: string, position = 0): Table {
  const section = document.split(`\n${heading}\n`)[1]?.split(/\n##? /)[0] ?? "";
  const tables = [...section.matchAll(/(?:^\|.*$\n?)+/gm)];
  const lines = tables[position]?.[0].trimEnd().split("\n") ?? [];
  const cells = lines.map((line) => line.split("|").slice(1, -1));
  const [head, , ...rows] = cells.map((row) => row.map((cell) => cell.trim()));
  if (!head) throw new Error(`there is no table ${position} below "${heading}"`);
  return { head, rows };
}

/** Returns the text of a cell without the backquotes of code. */
export const unquoted = (cell: string): string => cell.replaceAll("`", "");
