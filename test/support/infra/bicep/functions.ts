/** The functions of the Bicep language that the templates call. A function that is not here is a failure. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Resource } from "./resource.ts";
import {
  isList,
  isObject,
  type Lambda,
  listOf,
  type Names,
  objectOf,
  ScopeValue,
  textOf,
  UnknownConstruct,
  type Value,
} from "./values.ts";

type BicepFunction = (given: readonly Value[], names: Names) => Value;

const text = (given: readonly Value[], index: number): string =>
  textOf(given[index] ?? null, `argument ${index}`);
const list = (given: readonly Value[], index: number): readonly Value[] =>
  listOf(given[index] ?? null, `argument ${index}`);

/** Stable, and different for different arguments: the real values are hashes as well. */
const hashOf = (given: readonly Value[]): string =>
  createHash("sha256")
    .update(given.map((_, index) => text(given, index)).join("\n"))
    .digest("hex");

function lambda(given: readonly Value[], index: number): Lambda {
  const found = given[index];
  if (typeof found !== "function") throw new UnknownConstruct(`argument ${index} is not a lambda`);
  return found;
}

function isEmpty(value: Value): boolean {
  if (value === null || value === "") return true;
  if (isList(value)) return value.length === 0;
  if (isObject(value)) return Object.keys(value).length === 0;
  if (typeof value === "string") return false;
  throw new UnknownConstruct(`empty(${JSON.stringify(value)})`);
}

/** Objects are merged in depth; of two other values the later one is kept. */
export function merge(one: Value, other: Value): Value {
  if (!isObject(one) || !isObject(other)) return other;
  const both = Object.entries(other).map(([key, value]): [string, Value] => {
    const before = one[key];
    return [key, before === undefined ? value : merge(before, value)];
  });
  return { ...one, ...Object.fromEntries(both) };
}

function union(given: readonly Value[]): Value {
  if (given.every(isObject)) return given.reduce(merge, {});
  if (given.every(isList)) return [...new Set(given.flat())];
  throw new UnknownConstruct("union() of other values than objects or of arrays");
}

function asText(value: Value): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The part of an IPv4 network with that prefix length. */
function cidrSubnet(network: string, length: number, index: number): string {
  const [address = "", prefix = ""] = network.split("/");
  const first = address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
  const size = 2 ** (32 - length);
  if ((index + 1) * size > 2 ** (32 - Number(prefix))) throw new Error(`${network} has no subnet ${index}`);
  const start = first + index * size;
  return `${[24, 16, 8, 0].map((shift) => Math.floor(start / 2 ** shift) % 256).join(".")}/${length}`;
}

export const functions: Readonly<Record<string, BicepFunction>> = {
  bool: ([value = null]) => asText(value).toLowerCase() === "true",
  cidrSubnet: (given) => cidrSubnet(text(given, 0), Number(given[1]), Number(given[2])),
  deployment: () => ({ location: "westeurope" }),
  empty: ([value = null]) => isEmpty(value),
  environment: () => ({ suffixes: { storage: "core.windows.net" } }),
  filter: (given) => list(given, 0).filter((item) => lambda(given, 1)(item) === true),
  guid: (given) => `guid ${hashOf(given).slice(0, 12)}`,
  int: ([value = null]) => Number(asText(value)),
  items: ([value = null]) =>
    Object.entries(objectOf(value, "the argument of items()"))
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, entry]) => ({ key, value: entry })),
  join: (given) => list(given, 0).map(asText).join(text(given, 1)),
  json: (given) => JSON.parse(text(given, 0)),
  last: (given) => list(given, 0).at(-1) ?? null,
  loadTextContent: (given, { file }) => readFileSync(join(dirname(file), text(given, 0)), "utf8"),
  map: (given) => list(given, 0).map((item) => lambda(given, 1)(item)),
  readEnvironmentVariable: (given) => readVariable(text(given, 0), given[1]),
  replace: (given) => text(given, 0).replaceAll(text(given, 1), () => text(given, 2)),
  resourceGroup: (given, { scope }) =>
    given.length === 0
      ? { id: scope.id, name: scope.resourceGroup ?? null }
      : new ScopeValue(text(given, 0), text(given, 1)),
  split: (given) => text(given, 0).split(text(given, 1)),
  string: ([value = null]) => asText(value),
  subscription: (_, { scope }) => ({
    id: `/subscriptions/${scope.subscriptionId}`,
    subscriptionId: scope.subscriptionId,
    tenantId: "00000000-0000-4000-8000-00000000f000",
  }),
  subscriptionResourceId: (given, { scope }) =>
    `/subscriptions/${scope.subscriptionId}/providers/${text(given, 0)}/${text(given, 1)}`,
  toObject: (given) =>
    Object.fromEntries(
      list(given, 0).map((item) => [
        textOf(lambda(given, 1)(item), "the key"),
        given.length > 2 ? lambda(given, 2)(item) : item,
      ]),
    ),
  union,
  uniqueString: (given) => hashOf(given).slice(0, 13),
};

/** The variables of the azd environment that a parameter file reads. */
let variables: Readonly<Record<string, string>> = {};

/** Runs `work` with these variables as the environment. */
export function withVariables<T>(given: Readonly<Record<string, string>>, work: () => T): T {
  variables = given;
  try {
    return work();
  } finally {
    variables = {};
  }
}

function readVariable(name: string, otherwise: Value | undefined): Value {
  const found = variables[name] ?? otherwise;
  if (found === undefined) throw new Error(`The environment variable ${name} is missing`);
  return found;
}

/** The value of a property of an object, a resource or a module. Throws an Error if there is none. */
export function memberOf(object: Value, key: Value, isOptional: boolean): Value {
  if (isList(object) && typeof key === "number") {
    const item = object[key];
    if (item === undefined) throw new Error(`An array of ${object.length} has no item ${key}`);
    return item;
  }
  const name = textOf(key, "the name of a property");
  if (isObject(object) && Object.hasOwn(object, name)) return object[name] ?? null;
  if (isOptional) return null;
  const of = object instanceof Resource ? object.id : JSON.stringify(object);
  throw new Error(`There is no property ${name} in ${of?.slice(0, 200)}`);
}
