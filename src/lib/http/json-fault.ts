/** Says where and why a text is not JSON, in the words and offsets of Python's decoder, which FastAPI shows its callers. */

export interface JsonFault {
  /** How many characters (code points, as Python counts) stand before the fault. */
  readonly offset: number;
  readonly reason: string;
}

const whitespace = /[ \t\n\r]*/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y;
const literal = /null|true|false/y;
const plainCharacters = /[^"\\\u0000-\u001f]*/y;
const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** The first fault in a text that `JSON.parse` refused. */
export function findJsonFault(text: string): JsonFault {
  const { offset, reason } = scan(text);
  const pairs = text.slice(0, offset).match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0;
  return { offset: offset - pairs, reason };
}

/** The offset counts UTF-16 units. Open brackets are kept in a list, so depth costs no stack. */
function scan(text: string): JsonFault {
  const match = (pattern: RegExp, at: number): number => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0].length ?? 0;
  };
  const skip = (at: number): number => at + match(whitespace, at);
  const open: ("[" | "{")[] = [];

  /** End of the string that starts at `start`, or the fault in it. */
  const readString = (start: number): number | JsonFault => {
    for (let at = start + 1; ; ) {
      at += match(plainCharacters, at);
      if (at >= text.length) return { offset: start, reason: "Unterminated string starting at" };
      if (text[at] === '"') return at + 1;
      if (text[at] !== "\\") return { offset: at, reason: "Invalid control character at" };
      const length = match(escape, at);
      if (length === 0) return escapeFault(text, start, at);
      at += length;
    }
  };
  /** End of the key and its colon, or the fault in them. */
  const readKey = (at: number): number | JsonFault => {
    if (text[at] !== '"') return { offset: at, reason: "Expecting property name enclosed in double quotes" };
    const end = readString(at);
    if (typeof end !== "number") return end;
    const colon = skip(end);
    return text[colon] === ":" ? skip(colon + 1) : { offset: colon, reason: "Expecting ':' delimiter" };
  };

  let at = skip(0);
  for (;;) {
    const character = text[at];
    if (character === "[" || character === "{") {
      const inside = skip(at + 1);
      if (text[inside] === (character === "[" ? "]" : "}")) {
        at = inside + 1;
      } else {
        open.push(character);
        const next = character === "{" ? readKey(inside) : inside;
        if (typeof next !== "number") return next;
        at = next;
        continue;
      }
    } else if (character === '"') {
      const end = readString(at);
      if (typeof end !== "number") return end;
      at = end;
    } else {
      const length = match(number, at) || match(literal, at);
      if (length === 0) return { offset: at, reason: "Expecting value" };
      at += length;
    }
    for (;;) {
      at = skip(at);
      const bracket = open.at(-1);
      if (bracket === undefined) return { offset: at, reason: "Extra data" };
      if (text[at] === (bracket === "[" ? "]" : "}")) {
        open.pop();
        at += 1;
        continue;
      }
      if (text[at] !== ",") return { offset: at, reason: "Expecting ',' delimiter" };
      at = skip(at + 1);
      if (bracket === "{") {
        const next = readKey(at);
        if (typeof next !== "number") return next;
        at = next;
      }
      break;
    }
  }
}

function escapeFault(text: string, start: number, at: number): JsonFault {
  if (at + 1 >= text.length) return { offset: start, reason: "Unterminated string starting at" };
  if (text[at + 1] === "u") return { offset: at + 1, reason: "Invalid \\uXXXX escape" };
  return { offset: at, reason: "Invalid \\escape" };
}
