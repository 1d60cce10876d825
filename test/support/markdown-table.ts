/** Tables in the documents. */

/** Returns the rows of the first table of the section with this heading. Throws if there is none. */
export function tableBelow(document: string, heading: string): string[][] {
  const section = document.split(`\n${heading}\n`)[1]?.split(/\n##? /)[0] ?? "";
  const lines = /(?:^\|.*$\n?)+/m.exec(section)?.[0].trimEnd().split("\n") ?? [];
  const cells = lines.map((line) => line.split("|").slice(1, -1));
  const [head, , ...rows] = cells.map((row) => row.map((cell) => cell.trim()));
  if (!head) throw new Error(`there is no table below "${heading}"`);
  return rows;
}

/** Returns the text of a cell without the backquotes of code. */
export const unquoted = (cell: string): string => cell.replaceAll("`", "");
