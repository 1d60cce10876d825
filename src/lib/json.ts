/** Parses JSON that may be malformed, and looks for objects in it. */

/** Returns the parsed value, or undefined if the text is not JSON. The runtime's own error would quote the text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns whether a value is an object, or a list with entries that are objects or lists. */
export function containsObject(value: unknown): boolean {
  return [value].flat().some((entry) => typeof entry === "object" && entry !== null);
}
