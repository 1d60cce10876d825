/** Tables in the documents. */

interface Table {
  readonly head: readonly string[];
  readonly rows: readonly string[][];
}

/** Returns the first table of the section with this heading. Throws if there is none. */
export function tableBelow(document: string, heading: string): Table {
  const section = document.split(`\n${heading}\n`)[1]?.split(/\n##? /)[0] ?? "";
  const lines = /(?:^\|.*$\n?)+/m.exec(section)?.[0].trimEnd().split("\n") ?? [];
  const cells = lines.map((line) => line.split("|").slice(1, -1));
  const [head, , ...rows] = cells.map((row) => row.map((cell) => cell.trim()));
  if (!head) throw new Error(`there is no table below "${heading}"`);
  return { head, rows };
}

/** Returns the text of a cell without the backquotes of code. */
export const unquoted = (cell: string): string => cell.replaceAll("`", "");
