/** Finds where and why a text is not JSON, with the messages and offsets of Python's decoder, which FastAPI returns. */

/** The first place where a text is not JSON, and the reason. */
export interface JsonFault {
  /** The number of characters before the fault, counted in code points as Python does. */
  readonly offset: number;
  readonly reason: string;
}

type Bracket = "[" | "{";
type Token = "value" | "key" | "separator";

/** The token expected at an offset in UTF-16 units. `open` holds the open brackets, so nesting uses no stack. */
interface Position {
  readonly text: string;
  readonly open: Bracket[];
  readonly at: number;
  readonly expected: Token;
}

const closing = { "[": "]", "{": "}" } as const;

const whitespace = /[ \t\n\r]*/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y;
const literal = /null|true|false/y;
const plainCharacters = /[^"\\\u0000-\u001f]*/y;
const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

const readers: Readonly<Record<Token, (position: Position) => Position | JsonFault>> = {
  value: readValue,
  key: readKey,
  separator: readSeparator,
};

/** Returns the first fault in a text that `JSON.parse` rejected. For valid JSON, it is "Extra data" at the end. */
export function findJsonFault(text: string): JsonFault {
  let next: Position | JsonFault = { text, open: [], at: skipSpace(text, 0), expected: "value" };
  while ("expected" in next) next = readers[next.expected](next);
  const pairs = text.slice(0, next.offset).match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0;
  return { offset: next.offset - pairs, reason: next.reason };
}

function readValue(position: Position): Position | JsonFault {
  const { text, at } = position;
  const first = text[at];
  if (first === "[" || first === "{") return readOpening(position, first);
  const end = first === '"' ? endOfString(text, at) : endOfScalar(text, at);
  return typeof end === "number" ? { ...position, at: end, expected: "separator" } : end;
}

function readOpening(position: Position, bracket: Bracket): Position {
  const { text, open } = position;
  const at = skipSpace(text, position.at + 1);
  if (text[at] === closing[bracket]) return { ...position, at: at + 1, expected: "separator" };
  open.push(bracket);
  return { ...position, at, expected: firstTokenIn(bracket) };
}

function readKey(position: Position): Position | JsonFault {
  const { text, at } = position;
  if (text[at] !== '"') return { offset: at, reason: "Expecting property name enclosed in double quotes" };
  const end = endOfString(text, at);
  if (typeof end !== "number") return end;
  const colon = skipSpace(text, end);
  if (text[colon] !== ":") return { offset: colon, reason: "Expecting ':' delimiter" };
  return { ...position, at: skipSpace(text, colon + 1), expected: "value" };
}

/** Reads what may follow a value: a comma, the closing bracket, or the end of the text. */
function readSeparator(position: Position): Position | JsonFault {
  const { text, open } = position;
  const at = skipSpace(text, position.at);
  const bracket = open.at(-1);
  if (bracket === undefined) return { offset: at, reason: "Extra data" };
  if (text[at] === closing[bracket]) {
    open.pop();
    return { ...position, at: at + 1 };
  }
  if (text[at] !== ",") return { offset: at, reason: "Expecting ',' delimiter" };
  return { ...position, at: skipSpace(text, at + 1), expected: firstTokenIn(bracket) };
}

function firstTokenIn(bracket: Bracket): Token {
  return bracket === "{" ? "key" : "value";
}

function endOfScalar(text: string, at: number): number | JsonFault {
  const length = lengthOf(number, text, at) || lengthOf(literal, text, at);
  return length > 0 ? at + length : { offset: at, reason: "Expecting value" };
}

function endOfString(text: string, start: number): number | JsonFault {
  let at = start + 1;
  while (at < text.length) {
    at += lengthOf(plainCharacters, text, at);
    if (text[at] === '"') return at + 1;
    if (at < text.length && text[at] !== "\\") return { offset: at, reason: "Invalid control character at" };
    const length = lengthOf(escape, text, at);
    if (length === 0) break;
    at += length;
  }
  return escapeFault(text, start, at);
}

function escapeFault(text: string, start: number, at: number): JsonFault {
  if (at + 1 >= text.length) return { offset: start, reason: "Unterminated string starting at" };
  if (text[at + 1] === "u") return { offset: at + 1, reason: "Invalid \\uXXXX escape" };
  return { offset: at, reason: "Invalid \\escape" };
}

function skipSpace(text: string, at: number): number {
  return at + lengthOf(whitespace, text, at);
}

/** Returns the length of the match of a sticky pattern at an offset, or 0 if there is none. */
function lengthOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}
