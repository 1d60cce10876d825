/** The query-parameter filters of the platform's lists: `<field>[__<attribute>][__<operator>]=<value>`. */
import { badRequest } from "../model/api-error.ts";

export interface Filter {
  readonly field: string;
  /** An attribute of the related object; undefined for the field itself. */
  readonly attribute: string | undefined;
  readonly operator: string;
  readonly operand: string;
}

/** The field names of a list: all, filterable, sortable, and relations to other objects. */
export interface ListFields {
  readonly known: Set<string>;
  readonly filterable: Set<string>;
  readonly sortable: Set<string>;
  readonly relations?: Set<string>;
}

const reserved = new Set(["limit", "offset", "order_by", "format"]);
const readsNull = new Set(["none", "None", "nil"]);

const comparisons: Record<string, (value: unknown, operand: string) => boolean> = {
  exact: (value, operand) => isEqual(value, operand),
  iexact: (value, operand) => String(value).toLowerCase() === operand.toLowerCase(),
  contains: (value, operand) => String(value).includes(operand),
  icontains: (value, operand) => String(value).toLowerCase().includes(operand.toLowerCase()),
  startswith: (value, operand) => String(value).startsWith(operand),
  istartswith: (value, operand) => String(value).toLowerCase().startsWith(operand.toLowerCase()),
  endswith: (value, operand) => String(value).endsWith(operand),
  iendswith: (value, operand) => String(value).toLowerCase().endsWith(operand.toLowerCase()),
  regex: (value, operand) => new RegExp(operand, "u").test(String(value)),
  iregex: (value, operand) => new RegExp(operand, "iu").test(String(value)),
  lt: (value, operand) => order(value, operand) < 0,
  lte: (value, operand) => order(value, operand) <= 0,
  gt: (value, operand) => order(value, operand) > 0,
  gte: (value, operand) => order(value, operand) >= 0,
  // As on the platform, commas separate values even inside a name.
  in: (value, operand) => operand.split(",").some((part) => isEqual(value, part)),
  range: (value, operand) => {
    const [low = "", high = ""] = operand.split(",");
    return order(value, low) >= 0 && order(value, high) <= 0;
  },
  isnull: (value, operand) => (value === null) === /^true$/i.test(operand),
};

/**
 * Reads the filters of a query. As on the platform, unknown names are ignored. Throws 400 for known names without a filter
 * and for unknown operators.
 */
export function parseFilters(query: URLSearchParams, fields: ListFields): Filter[] {
  const filters: Filter[] = [];
  for (const [parameter, operand] of query) {
    if (reserved.has(parameter)) continue;
    const [field = "", ...rest] = parameter.split("__");
    if (!fields.known.has(field)) continue;
    if (!fields.filterable.has(field)) throw badRequest(`The '${field}' field does not allow filtering.`);
    const operator = rest.at(-1) ?? "";
    const hasOperator = operator in comparisons;
    const path = hasOperator ? rest.slice(0, -1) : rest;
    if (path.length > (fields.relations?.has(field) ? 1 : 0)) {
      throw badRequest(`The '${field}' field does not support relations.`);
    }
    if (operator.endsWith("regex")) checkPattern(operand);
    filters.push({ field, attribute: path[0], operator: hasOperator ? operator : "exact", operand });
  }
  return filters;
}

/** Whether one of the candidate values satisfies the filter. */
export function matches(filter: Filter, candidates: unknown[]): boolean {
  const compare = comparisons[filter.operator];
  return compare !== undefined && candidates.some((value) => compare(value, filter.operand));
}

function isEqual(value: unknown, operand: string): boolean {
  if (value === null) return readsNull.has(operand);
  if (typeof value === "boolean") return operand === String(value) || operand.toLowerCase() === String(value);
  if (typeof value === "number") return operand !== "" && value === Number(operand);
  return value === operand;
}

function order(value: unknown, operand: string): number {
  if (value === null) return Number.NaN;
  if (typeof value === "number") return value - Number(operand);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text < operand ? -1 : Number(text > operand);
}

function checkPattern(pattern: string): void {
  try {
    new RegExp(pattern, "u");
  } catch {
    throw badRequest("Invalid resource lookup data provided (regular expression).");
  }
}
