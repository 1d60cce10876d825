/** Scalar expressions of Kusto queries over one row; what is not known here is a failure. */
import type { QueryNode } from "./language.ts";

/** Times are milliseconds since 1970, time spans milliseconds, dynamic values what JSON.parse gives. */
export type Cell = unknown;
export type Row = Readonly<Record<string, Cell>>;

export interface Place {
  readonly row: Row;
  /** The rows of the same table in order, for `prev()`. */
  readonly rows: readonly Row[];
  readonly index: number;
  /** What `let` has named. */
  readonly constants: Readonly<Record<string, Cell>>;
}

export class UnknownQueryPart extends Error {}

type Scalar = (given: readonly Cell[]) => Cell;

const isNull = (value: Cell): boolean => value === null || value === undefined;
const asNumber = (value: Cell): number | null => {
  const number = typeof value === "string" && value.trim() === "" ? Number.NaN : Number(value);
  return isNull(value) || Number.isNaN(number) ? null : number;
};
const asText = (value: Cell): string => {
  if (isNull(value)) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
};

/** https://learn.microsoft.com/kusto/query/scalar-functions */
const functions: Readonly<Record<string, Scalar>> = {
  array_length: ([list]) => (Array.isArray(list) ? list.length : null),
  bin: ([value, size]) => {
    const [number, step] = [asNumber(value), asNumber(size)];
    return number === null || step === null ? null : Math.floor(number / step) * step;
  },
  isempty: ([value]) => asText(value) === "",
  isnotnull: ([value]) => !isNull(value),
  isnull: ([value]) => isNull(value),
  max_of: (given) => extremeOf(given, Math.max),
  min_of: (given) => extremeOf(given, Math.min),
  not: ([value]) => (isNull(value) ? null : value !== true),
  parse_json: ([value]) => {
    try {
      return JSON.parse(asText(value));
    } catch {
      return asText(value);
    }
  },
  todouble: ([value]) => asNumber(value),
  toint: ([value]) => truncated(asNumber(value)),
  tostring: ([value]) => asText(value),
};

function extremeOf(given: readonly Cell[], pick: (...all: number[]) => number): number | null {
  const numbers = given.map(asNumber);
  return numbers.some((number) => number === null) ? null : pick(...numbers.map(Number));
}

function truncated(value: number | null): number | null {
  return value === null ? null : Math.trunc(value);
}

const milliseconds: Readonly<Record<string, number>> = {
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
};

function literal(text: string): Cell {
  if (/^["']/.test(text)) return text.slice(1, -1);
  if (text === "true" || text === "false") return text === "true";
  const [, amount, unit = ""] = /^([\d.]+)(d|h|m|s|ms)?$/.exec(text) ?? [];
  if (amount === undefined) throw new UnknownQueryPart(`the literal ${text}`);
  return unit === "" ? Number(amount) : Number(amount) * (milliseconds[unit] ?? Number.NaN);
}

/** Comparisons with null hold for nothing; a comparison of texts with `==` minds the case. */
const operators: Readonly<Record<string, (left: Cell, right: Cell) => Cell>> = {
  "==": (left, right) => (isNull(left) || isNull(right) ? null : left === right),
  "!=": (left, right) => (isNull(left) || isNull(right) ? null : left !== right),
  "=~": (left, right) => asText(left).toLowerCase() === asText(right).toLowerCase(),
  "<": numeric((left, right) => left < right),
  "<=": numeric((left, right) => left <= right),
  ">": numeric((left, right) => left > right),
  ">=": numeric((left, right) => left >= right),
  "+": numeric((left, right) => left + right),
  "-": numeric((left, right) => left - right),
  "*": numeric((left, right) => left * right),
  "/": numeric((left, right) => left / right),
  startswith: (left, right) => asText(left).toLowerCase().startsWith(asText(right).toLowerCase()),
  contains: (left, right) => asText(left).toLowerCase().includes(asText(right).toLowerCase()),
};

function numeric(work: (left: number, right: number) => Cell) {
  return (left: Cell, right: Cell): Cell => {
    const [one, other] = [asNumber(left), asNumber(right)];
    return one === null || other === null ? null : work(one, other);
  };
}

/** The value of an expression for one row. Throws an UnknownQueryPart if it holds what is not known here. */
export function valueOf(node: QueryNode, place: Place): Cell {
  const { kind, text, children } = node;
  const [first, second, third] = children;
  if (kind === "LiteralExpression") return literal(text);
  if (kind === "NameReference") return named(text, place);
  if (kind === "FunctionCallExpression") return callOf(node, place);
  if (kind === "ParenthesizedExpression" && second) return valueOf(second, place);
  if (kind === "PrefixUnaryExpression" && first?.text === "-" && second)
    return operators["-"]?.(0, valueOf(second, place));
  if (kind === "PathExpression" && first && third) return memberOf(valueOf(first, place), third.text);
  if (kind === "ElementExpression" && first && second?.children[1])
    return memberOf(valueOf(first, place), valueOf(second.children[1], place));
  if (kind === "InExpression" && first && second && third) {
    const value = valueOf(first, place);
    const isIn = argumentsOf(third).some((item) => valueOf(item, place) === value);
    if (second.text === "in") return isIn;
    if (second.text === "!in") return !isIn;
  }
  if (kind === "BinaryExpression" && first && second && third) {
    if (second.text === "and") return valueOf(first, place) === true && valueOf(third, place) === true;
    if (second.text === "or") return valueOf(first, place) === true || valueOf(third, place) === true;
    const operator = operators[second.text];
    if (operator) return operator(valueOf(first, place), valueOf(third, place));
  }
  throw new UnknownQueryPart(`${kind}: ${text}`);
}

function named(name: string, { row, constants }: Place): Cell {
  if (Object.hasOwn(row, name)) return row[name];
  if (Object.hasOwn(constants, name)) return constants[name];
  throw new UnknownQueryPart(`the name ${name}`);
}

function callOf(node: QueryNode, place: Place): Cell {
  const { name, given } = callParts(node);
  if (name === "prev" && given[0]) {
    const before = place.rows[place.index - 1];
    return before === undefined ? null : valueOf(given[0], { ...place, row: before });
  }
  const found = functions[name];
  if (!found) throw new UnknownQueryPart(`the function ${name}()`);
  return found(given.map((argument) => valueOf(argument, place)));
}

function memberOf(object: Cell, key: Cell): Cell {
  if (Array.isArray(object) && typeof key === "number") return object.at(key) ?? null;
  if (typeof object !== "object" || object === null || typeof key !== "string") return null;
  return Object.entries(object).find(([name]) => name === key)?.[1] ?? null;
}

/** The name and the arguments of a call. */
export function callParts(node: QueryNode): { name: string; given: readonly QueryNode[] } {
  const [name, list] = node.children;
  if (!name || !list) throw new UnknownQueryPart(node.text);
  return { name: name.text, given: argumentsOf(list) };
}

function argumentsOf(list: QueryNode): readonly QueryNode[] {
  return list.children.find(({ kind }) => kind === "List")?.children ?? [];
}
