/** The aggregates of `summarize`. Over no rows: counts and sums are 0, lists are empty, the others are null. */
import type { QueryNode } from "./language.ts";
import { type Cell, callParts, type Place, type Row, UnknownQueryPart, valueOf } from "./scalar.ts";

type At = (row: Row) => Place;
type Aggregate = (given: readonly QueryNode[], rows: readonly Row[], at: At) => Cell;

/** What an argument is for each row, without nulls. */
function values(argument: QueryNode | undefined, rows: readonly Row[], at: At): Cell[] {
  if (!argument) throw new UnknownQueryPart("an aggregate without its argument");
  return rows
    .map((row) => valueOf(argument, at(row)))
    .filter((value) => value !== null && value !== undefined);
}

const numbers = (argument: QueryNode | undefined, rows: readonly Row[], at: At): number[] =>
  values(argument, rows, at).map(Number);
const whereTrue = (condition: QueryNode | undefined, rows: readonly Row[], at: At): Row[] =>
  rows.filter((row) => condition !== undefined && valueOf(condition, at(row)) === true);
const sum = (all: readonly number[]): number => all.reduce((total, value) => total + value, 0);
const extreme = (all: readonly number[], pick: (...all: number[]) => number): Cell =>
  all.length === 0 ? null : pick(...all);

const aggregates: Readonly<Record<string, Aggregate>> = {
  count: (_, rows) => rows.length,
  countif: ([condition], rows, at) => whereTrue(condition, rows, at).length,
  make_list: ([value], rows, at) => values(value, rows, at),
  max: ([value], rows, at) => extreme(numbers(value, rows, at), Math.max),
  min: ([value], rows, at) => extreme(numbers(value, rows, at), Math.min),
  sum: ([value], rows, at) => sum(numbers(value, rows, at)),
  sumif: ([value, condition], rows, at) => sum(numbers(value, whereTrue(condition, rows, at), at)),
};

/** The columns that one aggregate gives for a group of rows. */
export function aggregateColumns(node: QueryNode, rows: readonly Row[], at: At): Row {
  const isNamed = node.kind === "SimpleNamedExpression";
  const call = isNamed ? node.children[2] : node;
  if (call?.kind !== "FunctionCallExpression") throw new UnknownQueryPart(`the aggregate ${node.text}`);
  const { name, given } = callParts(call);
  if (name === "arg_max" && !isNamed) return newest(given, rows, at);
  const aggregate = aggregates[name];
  if (!aggregate) throw new UnknownQueryPart(`the aggregate ${name}()`);
  const column = isNamed ? (node.children[0]?.text ?? "") : `${name}_`;
  if (!isNamed && name !== "count") throw new UnknownQueryPart(`${node.text} without a name`);
  return { [column]: aggregate(given, rows, at) };
}

/** `arg_max(by, columns)`: the columns of the row where `by` is greatest. */
function newest(given: readonly QueryNode[], rows: readonly Row[], at: At): Row {
  const [by] = given;
  if (!by || given.some(({ kind }) => kind !== "NameReference"))
    throw new UnknownQueryPart("arg_max() of something else than columns");
  const best = rows
    .filter((row) => valueOf(by, at(row)) !== null)
    .toSorted((one, other) => Number(valueOf(by, at(other))) - Number(valueOf(by, at(one))))[0];
  return Object.fromEntries(given.map((column) => [column.text, best ? valueOf(column, at(best)) : null]));
}
