/** Parses JSON that may be malformed. */

/** Returns the parsed value, or undefined if the text is not JSON. The runtime's own error would quote the text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
