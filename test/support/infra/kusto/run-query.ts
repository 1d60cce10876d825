/** Runs Kusto queries over small tables. An operator that is not known here is a failure. */
import { parseQuery, type QueryNode } from "./language.ts";
import { type Cell, type Place, type Row, UnknownQueryPart, valueOf } from "./scalar.ts";
import { tableSchemas } from "./schemas.ts";
import { aggregateColumns } from "./summarize.ts";

/** Rows by table. A table that is not here does not exist, which only `union isfuzzy=true` forgives. */
export type Tables = Readonly<Record<string, readonly Row[]>>;

interface Context {
  readonly tables: Tables;
  readonly constants: Readonly<Record<string, Cell>>;
}

class NoSuchTable extends Error {}

/** The rows that a query gives. Throws an Error if it names what does not exist or what is not known here. */
export function runQuery(query: string, tables: Tables): Row[] {
  const statements = parseQuery(query).children.flatMap((child) =>
    child.kind === "List" ? child.children : [],
  );
  let constants: Readonly<Record<string, Cell>> = {};
  for (const statement of statements) {
    const context = { tables: complete(tables), constants };
    if (statement.kind === "ExpressionStatement" && statement.children[0])
      return rowsOf(statement.children[0], context);
    const [, name, , value] = statement.children;
    if (statement.kind !== "LetStatement" || !name || !value) throw new UnknownQueryPart(statement.kind);
    constants = { ...constants, [name.text]: constantOf(value, context) };
  }
  throw new Error("The query has no statement that gives rows");
}

/** Every row has all columns of its table: what a row does not give is null, or empty if it is text. */
function complete(tables: Tables): Tables {
  return Object.fromEntries(
    Object.entries(tables).map(([name, rows]) => {
      const columns = Object.entries(tableSchemas[name] ?? {});
      const blank = Object.fromEntries(columns.map(([key, type]) => [key, type === "string" ? "" : null]));
      const unknown = rows.flatMap(Object.keys).find((key) => !Object.hasOwn(blank, key));
      if (unknown !== undefined) throw new Error(`${name} has no column ${unknown}`);
      return [name, rows.map((row) => ({ ...blank, ...withoutNull(row) }))];
    }),
  );
}

function withoutNull(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}

function constantOf(node: QueryNode, context: Context): Cell {
  if (node.kind !== "ToScalarExpression")
    return valueOf(node, { row: {}, rows: [], index: 0, constants: context.constants });
  const table = node.children.find(({ kind }) => kind !== "Token");
  const [row] = table ? rowsOf(table, context) : [];
  return row === undefined ? null : (Object.values(row)[0] ?? null);
}

function rowsOf(node: QueryNode, context: Context): Row[] {
  const [first, second, third] = node.children;
  if (node.kind === "NameReference") {
    const rows = context.tables[node.text];
    if (!rows) throw new NoSuchTable(`There is no table ${node.text}`);
    return [...rows];
  }
  if (node.kind === "ParenthesizedExpression" && second) return rowsOf(second, context);
  if (node.kind === "PipeExpression" && first && third)
    return applied(third, rowsOf(first, context), context);
  if (node.kind === "UnionOperator") return united(node, context);
  if (node.kind === "DataTableExpression" && node.children.at(-2)?.children.length === 0) return [];
  throw new UnknownQueryPart(`${node.kind}: ${node.text}`);
}

function united({ children }: QueryNode, context: Context): Row[] {
  const [parameters, tables] = children.filter(({ kind }) => kind === "List");
  const isFuzzy = parameters?.children.some(({ text }) => text === "isfuzzy = true");
  return (tables?.children ?? []).flatMap((table) => {
    try {
      return rowsOf(table, context);
    } catch (error) {
      if (isFuzzy && error instanceof NoSuchTable) return [];
      throw error;
    }
  });
}

type Operator = (rows: Row[], parts: readonly QueryNode[], at: (rows: readonly Row[]) => Each) => Row[];
type Each = (row: Row) => Place;

/** By the class names of the language service; `parts` are the operator's last list, its columns or conditions. */
const operators: Readonly<Record<string, Operator>> = {
  CountOperator: (rows) => [{ Count: rows.length }],
  ExtendOperator: (rows, parts, at) => rows.map((row) => ({ ...row, ...columns(parts, row, at(rows)) })),
  FilterOperator: (rows, parts, at) => {
    const condition = parts.at(-1);
    if (!condition) throw new UnknownQueryPart("where without a condition");
    return rows.filter((row) => valueOf(condition, at(rows)(row)) === true);
  },
  ProjectOperator: (rows, parts, at) => rows.map((row) => columns(parts, row, at(rows))),
  SortOperator: (rows, parts, at) => sorted(rows, parts, at(rows)),
  SummarizeOperator: (rows, parts, at) => summarized(rows, parts, at(rows)),
  TakeOperator: (rows, parts) => rows.slice(0, Number(parts.at(-1)?.text)),
};

function applied(operator: QueryNode, rows: Row[], { constants }: Context): Row[] {
  const apply = operators[operator.kind];
  if (!apply) throw new UnknownQueryPart(`the operator ${operator.kind}: ${operator.text}`);
  const lists = operator.children.filter(({ kind }) => kind === "List");
  if (lists[0]?.children.some(({ kind }) => kind === "NamedParameter"))
    throw new UnknownQueryPart(`a parameter of ${operator.text}`);
  const parts = operator.children.flatMap((child) => {
    if (child.kind === "Token") return [];
    return child.kind === "List" ? child.children : [child];
  });
  return apply(rows, parts, (all) => (row) => ({ row, rows: all, index: all.indexOf(row), constants }));
}

function columns(parts: readonly QueryNode[], row: Row, at: Each): Row {
  const pairs = parts.map((part): [string, Cell] => {
    const [name, , value] = part.children;
    if (part.kind === "SimpleNamedExpression" && name && value) return [name.text, valueOf(value, at(row))];
    if (part.kind === "NameReference") return [part.text, valueOf(part, at(row))];
    throw new UnknownQueryPart(`the column ${part.text}`);
  });
  return Object.fromEntries(pairs);
}

/** Without `asc` the order is descending. Nulls come first if it is ascending, else last. */
function sorted(rows: Row[], parts: readonly QueryNode[], at: Each): Row[] {
  const [part, ...rest] = parts;
  if (!part || rest.length > 0) throw new UnknownQueryPart("order by several columns");
  const [column, direction] = part.kind === "OrderedExpression" ? part.children : [part];
  if (!column || (direction && !["asc", "desc"].includes(direction.text)))
    throw new UnknownQueryPart(`the order ${part.text}`);
  const sign = direction?.text === "asc" ? 1 : -1;
  const rank = (row: Row): number => {
    const value = valueOf(column, at(row));
    return value === null ? Number.NEGATIVE_INFINITY : Number(value);
  };
  return rows.toSorted((one, other) => (rank(one) === rank(other) ? 0 : sign * (rank(one) - rank(other))));
}

function summarized(rows: Row[], parts: readonly QueryNode[], at: Each): Row[] {
  const by = parts.find(({ kind }) => kind === "SummarizeByClause");
  const aggregates = parts.filter((part) => part !== by);
  const keys = by?.children.find(({ kind }) => kind === "List")?.children ?? [];
  const groups = Map.groupBy(rows, (row) => JSON.stringify(keyColumns(keys, row, at)));
  // Without `by` there is one row, even over an empty table.
  if (keys.length === 0) groups.set("{}", rows);
  return [...groups].map(([key, group]) =>
    Object.assign({}, JSON.parse(key), ...aggregates.map((node) => aggregateColumns(node, group, at))),
  );
}

/** A key without a name has that of its first argument: `bin(TimeGenerated, 5m)` is TimeGenerated. */
function keyColumns(keys: readonly QueryNode[], row: Row, at: Each): Row {
  return Object.assign(
    {},
    ...keys.map((key) => {
      const isCall = key.kind === "FunctionCallExpression" && key.children[0]?.text === "bin";
      if (!isCall) return columns([key], row, at);
      const name = key.children[1]?.children[1]?.children[0]?.text ?? "";
      return { [name]: valueOf(key, at(row)) };
    }),
  );
}
