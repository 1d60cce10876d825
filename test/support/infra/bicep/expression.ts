/**
 * Expressions of the Bicep language, read from tokens. The grammar of tree-sitter-bicep binds `.` weaker than operators
 * (`a ? b : c.d` comes as `(a ? b : c).d`), so the operators are grouped here by the language's own precedence:
 * https://learn.microsoft.com/azure/azure-resource-manager/bicep/operators#operator-precedence-and-associativity
 */
import { childrenOf, type Token, tokensOf } from "./syntax.ts";

export type Expression =
  | { readonly kind: "literal"; readonly value: string | number | boolean | null }
  | { readonly kind: "text"; readonly parts: readonly Expression[] }
  | { readonly kind: "name"; readonly name: string }
  | {
      readonly kind: "member";
      readonly object: Expression;
      readonly key: Expression;
      readonly optional: boolean;
    }
  | { readonly kind: "call"; readonly name: string; readonly arguments: readonly Expression[] }
  | { readonly kind: "lambda"; readonly parameters: readonly string[]; readonly body: Expression }
  | { readonly kind: "not"; readonly operand: Expression }
  | {
      readonly kind: "operation";
      readonly operator: string;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly kind: "choice";
      readonly condition: Expression;
      readonly yes: Expression;
      readonly no: Expression;
    }
  | { readonly kind: "object"; readonly entries: readonly (readonly [Expression, Expression])[] }
  | { readonly kind: "array"; readonly items: readonly Expression[] }
  | Loop
  | Conditional;

export interface Loop {
  readonly kind: "loop";
  readonly item: string;
  readonly index: string | undefined;
  readonly list: Expression;
  readonly body: Expression;
}

/** A body that is deployed if the condition holds. */
interface Conditional {
  readonly kind: "conditional";
  readonly condition: Expression;
  readonly body: Expression;
}

const precedence: Readonly<Record<string, number>> = {
  "??": 1,
  "||": 2,
  "&&": 3,
  "==": 4,
  "!=": 4,
  "<": 5,
  "<=": 5,
  ">": 5,
  ">=": 5,
  "+": 6,
  "-": 6,
  "*": 7,
  "/": 7,
  "%": 7,
};

/** Reads tokens from the front; each function takes the tokens of what it reads. */
class Reader {
  readonly #tokens: readonly Token[];
  #position = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get next(): Token | undefined {
    return this.#tokens[this.#position];
  }

  peek(distance: number): string | undefined {
    return this.#tokens[this.#position + distance]?.text;
  }

  take(expected?: string): Token {
    const token = this.next;
    if (token === undefined || (expected !== undefined && token.text !== expected))
      throw new Error(`Expected ${expected ?? "an expression"} and found ${token?.text ?? "the end"}`);
    this.#position += 1;
    return token;
  }

  takeIf(text: string): boolean {
    const found = this.next?.text === text;
    if (found) this.#position += 1;
    return found;
  }

  /** A member or subscript stands on the line on which its object ends. */
  get continuesLine(): boolean {
    const previous = this.#tokens[this.#position - 1];
    return previous?.node.endPosition.row === this.next?.node.startPosition.row;
  }
}

/** Reads all tokens as one expression. Throws an Error if they are none, or more than one. */
export function readExpression(tokens: readonly Token[]): Expression {
  const reader = new Reader(tokens);
  const expression = choice(reader);
  if (reader.next) throw new Error(`Unexpected ${reader.next.text} after an expression`);
  return expression;
}

function choice(reader: Reader): Expression {
  const condition = operation(reader, 0);
  if (!reader.takeIf("?")) return condition;
  const yes = choice(reader);
  reader.take(":");
  return { kind: "choice", condition, yes, no: choice(reader) };
}

function operation(reader: Reader, least: number): Expression {
  let left = operand(reader);
  for (;;) {
    const operator = reader.next?.text ?? "";
    const rank = precedence[operator] ?? 0;
    if (rank <= least) return left;
    reader.take();
    left = { kind: "operation", operator, left, right: operation(reader, rank) };
  }
}

function operand(reader: Reader): Expression {
  if (reader.takeIf("!")) return { kind: "not", operand: operand(reader) };
  let expression = primary(reader);
  while (reader.continuesLine) {
    if (reader.takeIf("!")) continue;
    if (reader.takeIf(".")) expression = member(expression, literal(reader.take().text), false);
    else if (reader.takeIf(".?")) expression = member(expression, literal(reader.take().text), true);
    else if (reader.takeIf("[")) {
      expression = member(expression, choice(reader), false);
      reader.take("]");
    } else return expression;
  }
  return expression;
}

function primary(reader: Reader): Expression {
  const { text, type, node } = reader.take();
  if (type === "string") return stringOf(node);
  if (type === "number") return literal(Number(text));
  if (text === "true" || text === "false") return literal(text === "true");
  if (text === "null") return literal(null);
  if (text === "{") return object(reader);
  if (text === "[") return array(reader);
  if (text === "if") return conditional(reader);
  if (text === "(") {
    const inner = choice(reader);
    reader.take(")");
    return inner;
  }
  if (type !== "identifier") throw new Error(`Unknown token ${text} (${type})`);
  if (reader.takeIf("=>")) return { kind: "lambda", parameters: [text], body: choice(reader) };
  if (reader.takeIf("(")) return { kind: "call", name: text, arguments: listUntil(reader, ")") };
  return { kind: "name", name: text };
}

function listUntil(reader: Reader, end: string): Expression[] {
  const items: Expression[] = [];
  while (!reader.takeIf(end)) {
    items.push(choice(reader));
    reader.takeIf(",");
  }
  return items;
}

function object(reader: Reader): Expression {
  const entries: [Expression, Expression][] = [];
  while (!reader.takeIf("}")) {
    const { text, type, node } = reader.take();
    const key = type === "string" ? stringOf(node) : literal(text);
    reader.take(":");
    entries.push([key, choice(reader)]);
    reader.takeIf(",");
  }
  return { kind: "object", entries };
}

function array(reader: Reader): Expression {
  if (!reader.takeIf("for")) return { kind: "array", items: listUntil(reader, "]") };
  const hasIndex = reader.takeIf("(");
  const item = reader.take().text;
  const index = hasIndex && reader.takeIf(",") ? reader.take().text : undefined;
  if (hasIndex) reader.take(")");
  reader.take("in");
  const list = choice(reader);
  reader.take(":");
  const body = choice(reader);
  reader.take("]");
  return { kind: "loop", item, index, list, body };
}

function conditional(reader: Reader): Expression {
  reader.take("(");
  const condition = choice(reader);
  reader.take(")");
  return { kind: "conditional", condition, body: choice(reader) };
}

function stringOf(node: Token["node"]): Expression {
  const parts = childrenOf(node).map((part): Expression => {
    if (part.type === "string_content") return literal(part.text);
    if (part.type === "escape_sequence") return literal(unescaped(part.text));
    if (part.type === "interpolation") return readExpression(childrenOf(part).flatMap(tokensOf));
    throw new Error(`Unknown part of a string: ${part.type}`);
  });
  return { kind: "text", parts };
}

function unescaped(sequence: string): string {
  const known: Readonly<Record<string, string>> = { "\\'": "'", "\\\\": "\\", "\\n": "\n", "\\$": "$" };
  const found = known[sequence];
  if (found === undefined) throw new Error(`Unknown escape sequence ${sequence}`);
  return found;
}

function literal(value: string | number | boolean | null): Expression {
  return { kind: "literal", value };
}

function member(object: Expression, key: Expression, optional: boolean): Expression {
  return { kind: "member", object, key, optional };
}
