/** Runs Kusto queries on rows in memory, as far as alerts, commands and guides use them. Times are in milliseconds. */
import { parseJson } from "../../src/lib/json.ts";
import { type KustoNode, statementsOf } from "./kusto.ts";

/** As in Azure, the column `Type` names the table of a row. */
export type Row = Readonly<Record<string, unknown>>;

const isMissing = (value: unknown) => value === null || value === undefined;
/** Without a number, nothing is less or greater, and nothing can be calculated. */
const numberOf = (value: unknown) => (isMissing(value) ? Number.NaN : Number(value));
const lowerCase = (value: unknown) => (typeof value === "string" ? value.toLowerCase() : "");
const includes = (list: unknown, value: unknown) => Array.isArray(list) && list.includes(value);

type Values = readonly unknown[];
const expressions: Readonly<Record<string, (...values: Values) => unknown>> = {
  ExpressionList: (...values) => values,
  AndExpression: (one, other) => one && other,
  OrExpression: (one, other) => one || other,
  EqualExpression: (one, other) => one === other,
  EqualTildeExpression: (one, other) => lowerCase(one) === lowerCase(other),
  // Kusto compares words, but our queries look for whole ones.
  HasExpression: (one, other) => lowerCase(one).includes(lowerCase(other)),
  ContainsExpression: (one, other) => lowerCase(one).includes(lowerCase(other)),
  StartsWithExpression: (one, other) => lowerCase(one).startsWith(lowerCase(other)),
  InExpression: (one, list) => includes(list, one),
  NotInExpression: (one, list) => !includes(list, one),
  LessThanExpression: (one, other) => numberOf(one) < numberOf(other),
  GreaterThanExpression: (one, other) => numberOf(one) > numberOf(other),
  GreaterThanOrEqualExpression: (one, other) => numberOf(one) >= numberOf(other),
  SubtractExpression: (one, other) => numberOf(one) - numberOf(other),
  MultiplyExpression: (one, other) => numberOf(one) * numberOf(other),
  DivideExpression: (one, other) => numberOf(one) / numberOf(other),
};

const functions: Readonly<Record<string, (...values: Values) => unknown>> = {
  // A text that is not JSON has no properties.
  parse_json: (text) => parseJson(String(text)) ?? {},
  tostring: (value) => value ?? "",
  toint: numberOf,
  not: (value) => value === false,
  extract: (pattern, group, text) => new RegExp(String(pattern)).exec(String(text))?.[Number(group)],
  isnull: isMissing,
  isnotempty: (value) => !isMissing(value) && value !== "",
  iff: (condition, yes, no) => (condition === true ? yes : no),
  bin: (value, step) => Math.floor(numberOf(value) / numberOf(step)),
};

const numbersIn = (values: Values) => values.map(numberOf).filter(Number.isFinite);
const least = (values: Values) => numbersIn(values).toSorted((one, other) => one - other)[0];

const aggregates: Readonly<Record<string, (values: Values) => unknown>> = {
  count: (values) => values.length,
  countif: (values) => values.filter((value) => value === true).length,
  max: (values) => numbersIn(values).toSorted((one, other) => other - one)[0],
  min: least,
  minif: least,
  sum: (values) => numbersIn(values).reduce((total, value) => total + value, 0),
  // The numbers, of which Kusto shows some.
  percentiles: numbersIn,
};
const milliseconds: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };

function known<T>(table: Readonly<Record<string, T>>, name: string): T {
  const found = table[name];
  if (found === undefined) throw new Error(`The tests cannot run ${name}`);
  return found;
}

/** Returns the rows of a query's result. Throws an Error at a part of the language that it does not know. */
export function runQuery(query: string, allRows: readonly Row[], now: number): readonly Row[] {
  const constants: Record<string, unknown> = {};

  function valueOf(node: KustoNode, row: Row): unknown {
    const { kind, text, parts } = node;
    const [first = node, second = node] = parts;
    switch (kind) {
      case "TokenName":
        return text in row ? row[text] : constants[text];
      case "StringLiteralExpression":
        return JSON.parse(text);
      case "LongLiteralExpression":
      case "RealLiteralExpression":
        return Number(text);
      case "TimespanLiteralExpression":
        return Number.parseInt(text, 10) * known(milliseconds, text.at(-1) ?? "");
      case "IntLiteralExpression":
        return null;
      case "StarExpression":
        return Object.values(row).join("\n");
      case "PathExpression":
        return (valueOf(first, row) as Row)[second.text];
      case "FunctionCallExpression": {
        // A test's rows arrive when the query runs.
        if (first.text === "ingestion_time") return now;
        const values = second.parts.map((part) => valueOf(part, row));
        return first.text === "ago" ? now - Number(values[0]) : known(functions, first.text)(...values);
      }
      default:
        return known(expressions, kind)(...parts.map((part) => valueOf(part, row)));
    }
  }

  /** Returns columns with their values, such as those of `extend`. */
  function columnsOf(nodes: readonly KustoNode[], value: (node: KustoNode) => unknown): Row {
    const columns = nodes.map((node) => {
      const [name = node, named = node] = node.kind === "SimpleNamedExpression" ? node.parts : [];
      return [name.text, value(named)];
    });
    return Object.fromEntries(columns);
  }

  function aggregate({ parts: [name, list] }: KustoNode, rows: readonly Row[]): unknown {
    const [value, second] = list?.parts ?? [];
    const condition = name?.text === "minif" ? second : undefined;
    const counted = rows.filter((row) => condition === undefined || valueOf(condition, row) === true);
    const values = counted.map((row) => value && valueOf(value, row));
    return known(aggregates, name?.text ?? "")(values);
  }

  function summarize(parts: readonly KustoNode[], rows: readonly Row[]): readonly Row[] {
    const isBy = ({ kind }: KustoNode) => kind === "SummarizeByClause";
    const by = parts.filter(isBy).flatMap((clause) => clause.parts);
    const namesOf = (row: Row) => columnsOf(by, (node) => valueOf(node, row));
    const groups = Map.groupBy(rows, (row) => JSON.stringify(namesOf(row)));
    // Without groups, there is one row, even of an empty table.
    const all = by.length === 0 ? [rows] : [...groups.values()];
    const aggregated = parts.filter((part) => !isBy(part));
    return all.map((group) => ({
      ...namesOf(group[0] ?? {}),
      ...columnsOf(aggregated, (node) => aggregate(node, group)),
    }));
  }

  /** Sorts by the last key first, because sorting keeps the order of equal rows. */
  function sort(keys: readonly KustoNode[], rows: readonly Row[]): readonly Row[] {
    return keys.toReversed().reduce((sorted, { parts: [key, direction] }) => {
      const sign = direction?.text === "asc" ? 1 : -1;
      const value = (row: Row) => numberOf(key && valueOf(key, row));
      return sorted.toSorted((one, other) => sign * (value(one) - value(other)));
    }, rows);
  }

  /** Returns what an operator makes of the rows before it. */
  function apply({ kind, parts }: KustoNode, rows: readonly Row[]): readonly Row[] {
    const columns = (row: Row) => columnsOf(parts, (node) => valueOf(node, row));
    const [first, second] = parts;
    switch (kind) {
      case "FilterOperator":
        return rows.filter((row) => first && valueOf(first, row) === true);
      case "ExtendOperator":
        return rows.map((row) => ({ ...row, ...columns(row) }));
      case "ProjectOperator":
        return rows.map(columns);
      case "SummarizeOperator":
        return summarize(parts, rows);
      case "CountOperator":
        return [{ Count: rows.length }];
      case "PartitionOperator": {
        const groups = Map.groupBy(rows, (row) => first && valueOf(first, row));
        return [...groups.values()].flatMap((group) => (second ? apply(second, group) : group));
      }
      case "SortOperator":
        return sort(parts, rows);
      case "TakeOperator":
        return rows.slice(0, Number(first?.text));
      case "TopOperator": {
        const key = (row: Row) => numberOf(second && valueOf(second, row));
        return rows.toSorted((one, other) => key(other) - key(one)).slice(0, Number(first?.text));
      }
      default:
        throw new Error(`The tests cannot run ${kind}`);
    }
  }

  function rowsOf({ kind, text, parts }: KustoNode): readonly Row[] {
    const [first, second] = parts;
    if (kind === "PipeExpression" && first && second) return apply(second, rowsOf(first));
    if (kind === "UnionOperator")
      return parts.filter((part) => part.kind !== "NamedParameter").flatMap(rowsOf);
    if (kind === "WildcardedName")
      return allRows.filter(({ Type }) => String(Type).startsWith(text.replace("*", "")));
    return allRows.filter(({ Type }) => Type === text);
  }

  return statementsOf(query).flatMap((statement) => {
    if (statement.kind !== "LetStatement") return rowsOf(statement);
    const [name, scalar] = statement.parts;
    const [row = {}] = scalar?.parts.flatMap(rowsOf) ?? [];
    constants[name?.text ?? ""] = Object.values(row)[0];
    return [];
  });
}
