/**
 * Expressions of the Bicep language, read from tokens. The grammar of tree-sitter-bicep binds `.` weaker than operators
 * (`a ? b : c.d` comes as `(a ? b : c).d`), so the operators are grouped here by the language's own precedence:
 * https://learn.microsoft.com/azure/azure-resource-manager/bicep/operators#operator-precedence-and-associativity
 */
import { call, operate, readMember } from "./functions.ts";
import { childrenOf, type Token, tokensOf } from "./syntax.ts";
import { listOf, type Names, textOf, truth, type Value, withNames } from "./values.ts";

export interface Expression {
  /** Throws an Error if the expression contains anything unsupported. */
  readonly evaluate: (names: Names) => Value;
  /** Of a loop: the variables of each iteration, and the expression that is evaluated with them. */
  readonly loop?: { readonly turns: (names: Names) => Names[]; readonly body: Expression };
  /** Of a body that is deployed if a condition holds. */
  readonly conditional?: { readonly condition: Expression; readonly body: Expression };
}

const literal = (value: Value): Expression => ({ evaluate: () => value });

const precedence: Readonly<Record<string, number>> = { "??": 1, "||": 2, "&&": 3, "==": 4, "!=": 4, "<": 5 };

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
  const no = choice(reader);
  return { evaluate: (names) => (truth(condition.evaluate(names)) ? yes : no).evaluate(names) };
}

function operation(reader: Reader, least: number): Expression {
  let left = operand(reader);
  for (;;) {
    const operator = reader.next?.text ?? "";
    const rank = precedence[operator] ?? 0;
    if (rank <= least) return left;
    reader.take();
    const [first, second] = [left, operation(reader, rank)];
    left = {
      evaluate: (names) => operate(operator, first.evaluate(names), () => second.evaluate(names)),
    };
  }
}

function operand(reader: Reader): Expression {
  if (reader.takeIf("!")) {
    const negated = operand(reader);
    return { evaluate: (names) => !truth(negated.evaluate(names)) };
  }
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
  if (reader.takeIf("=>")) {
    const body = choice(reader);
    return {
      evaluate: (names) => (argument: Value) => body.evaluate(withNames(names, { [text]: argument })),
    };
  }
  if (reader.takeIf("(")) {
    const given = listUntil(reader, ")");
    return { evaluate: (names) => call(text, valuesOf(given, names), names) };
  }
  return { evaluate: (names) => names.lookUp(text) };
}

const valuesOf = (expressions: readonly Expression[], names: Names): Value[] =>
  expressions.map((expression) => expression.evaluate(names));

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
  return {
    evaluate: (names) =>
      Object.fromEntries(entries.map(([key, value]) => [textOf(key.evaluate(names)), value.evaluate(names)])),
  };
}

function array(reader: Reader): Expression {
  if (!reader.takeIf("for")) {
    const items = listUntil(reader, "]");
    return { evaluate: (names) => valuesOf(items, names) };
  }
  const hasIndex = reader.takeIf("(");
  const item = reader.take().text;
  const index = hasIndex && reader.takeIf(",") ? reader.take().text : undefined;
  if (hasIndex) reader.take(")");
  reader.take("in");
  const list = choice(reader);
  reader.take(":");
  const body = choice(reader);
  reader.take("]");
  const turns = (names: Names): Names[] =>
    listOf(list.evaluate(names)).map((value, position) =>
      withNames(names, index === undefined ? { [item]: value } : { [item]: value, [index]: position }),
    );
  return { evaluate: (names) => turns(names).map((turn) => body.evaluate(turn)), loop: { turns, body } };
}

function conditional(reader: Reader): Expression {
  reader.take("(");
  const condition = choice(reader);
  reader.take(")");
  const evaluate = (): Value => {
    throw new Error("A condition outside of a resource or module");
  };
  return { evaluate, conditional: { condition, body: choice(reader) } };
}

function stringOf(node: Token["node"]): Expression {
  const parts = childrenOf(node).map((part): Expression => {
    if (part.type === "string_content") return literal(part.text);
    if (part.type === "escape_sequence") return literal(unescaped(part.text));
    if (part.type === "interpolation") return readExpression(childrenOf(part).flatMap(tokensOf));
    throw new Error(`Unknown part of a string: ${part.type}`);
  });
  return { evaluate: (names) => valuesOf(parts, names).map(textOf).join("") };
}

function unescaped(sequence: string): string {
  if (sequence !== "\\'") throw new Error(`Unknown escape sequence ${sequence}`);
  return "'";
}

function member(object: Expression, key: Expression, isOptional: boolean): Expression {
  return { evaluate: (names) => readMember(object.evaluate(names), key.evaluate(names), isOptional) };
}
