/** Writes JSON compactly: Bicep loads openapi.json as text, of which it takes at most 131,072 characters. */

const maxLineCharacters = 110;

/** Returns the JSON of a value. Each part that fits into a line is on one line. */
export function jsonText(value: unknown, indent = ""): string {
  const line = JSON.stringify(value, null, 1).replaceAll(/\n */g, " ");
  const isLeaf = typeof value !== "object" || value === null;
  if (isLeaf || indent.length + line.length <= maxLineCharacters) return line;
  const inner = `${indent}  `;
  const present = Object.entries(value).filter(([, part]) => part !== undefined);
  const parts = present.map(([key, part]) => {
    const label = Array.isArray(value) ? "" : `${JSON.stringify(key)}: `;
    return `${inner}${label}${jsonText(part, inner)}`;
  });
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  return [open, parts.join(",\n"), `${indent}${close}`].join("\n");
}
