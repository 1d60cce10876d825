/** The functions of the Bicep language that the templates call. A function that is not here is a failure. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  isList,
  isObject,
  type Lambda,
  listOf,
  type Names,
  objectOf,
  Resource,
  RuntimeValue,
  textOf,
  toPlain,
  type Value,
} from "./values.ts";

/** Stable, and different for different arguments: the real values are hashes as well. */
const hashOf = (given: readonly Value[]): string =>
  createHash("sha256").update(given.map(textOf).join("\n")).digest("hex");

function lambda(value: Value | undefined): Lambda {
  if (typeof value !== "function") throw new Error("An argument is not a lambda");
  return value;
}

const isEmpty = (value: Value): boolean =>
  value === null || value === "" || (isList(value) ? value : Object.keys(value)).length === 0;

/** Objects are merged in depth. Of two other values, the later one wins. */
function merge(one: Value, other: Value): Value {
  if (!isObject(one) || !isObject(other)) return other;
  const both = Object.entries(other).map(([key, value]): [string, Value] => {
    const before = one[key];
    return [key, before === undefined ? value : merge(before, value)];
  });
  return { ...one, ...Object.fromEntries(both) };
}

/** The part of an IPv4 network with that prefix length. */
function cidrSubnet(network: string, length: number, index: number): string {
  const [address = "", prefix = ""] = network.split("/");
  const size = 2 ** (32 - length);
  if ((index + 1) * size > 2 ** (32 - Number(prefix))) throw new Error(`${network} has no subnet ${index}`);
  const start = address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0) + index * size;
  return `${[24, 16, 8, 0].map((shift) => Math.floor(start / 2 ** shift) % 256).join(".")}/${length}`;
}

function readVariable([name = "", byDefault]: readonly Value[], { variables }: Names): Value {
  const found = variables[textOf(name)] ?? byDefault;
  if (found === undefined) throw new Error(`The environment variable ${textOf(name)} is missing`);
  return found;
}

const asText = (value: Value): string =>
  isList(value) || isObject(value) ? JSON.stringify(toPlain(value)) : textOf(value);

type BicepFunction = (given: readonly [Value, ...Value[]], names: Names) => Value;

const functions: Readonly<Record<string, BicepFunction>> = {
  bool: ([value]) => asText(value).toLowerCase() === "true",
  cidrSubnet: ([network, length, index]) => cidrSubnet(textOf(network), Number(length), Number(index)),
  concat: (given) => given.flatMap(listOf),
  contains: ([object, key = ""]) => textOf(key) in objectOf(object),
  empty: ([value]) => isEmpty(value),
  environment: () => ({ suffixes: { storage: "core.windows.net" } }),
  filter: ([list, test]) => listOf(list).filter((item) => lambda(test)(item) === true),
  guid: (given) => `guid ${hashOf(given).slice(0, 12)}`,
  int: ([value]) => Number(asText(value)),
  items: ([value]) =>
    Object.entries(objectOf(value))
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, entry]) => ({ key, value: entry })),
  join: ([list, separator = ""]) => listOf(list).map(asText).join(textOf(separator)),
  json: ([text]) => JSON.parse(textOf(text)),
  loadTextContent: ([path], { file }) => readFileSync(join(dirname(file), textOf(path)), "utf8"),
  map: ([list, change]) => listOf(list).map((item) => lambda(change)(item)),
  mapValues: ([object, change]) =>
    Object.fromEntries(Object.entries(objectOf(object)).map(([key, value]) => [key, lambda(change)(value)])),
  max: (given) => Math.max(...given.map(Number)),
  objectKeys: ([object]) => Object.keys(objectOf(object)),
  readEnvironmentVariable: readVariable,
  replace: ([text, old = "", now = ""]) => textOf(text).replaceAll(textOf(old), () => textOf(now)),
  resourceGroup: ([subscription, group], { scopeId }) =>
    group === undefined
      ? { id: scopeId, name: scopeId.split("/").at(-1) ?? "" }
      : { id: `/subscriptions/${textOf(subscription)}/resourceGroups/${textOf(group)}` },
  split: ([text, separator = ""]) => textOf(text).split(textOf(separator)),
  string: ([value]) => asText(value),
  subscription: (_, { scopeId }) => ({ subscriptionId: scopeId.split("/")[2] ?? "", tenantId: "tenant" }),
  subscriptionResourceId: ([type, name = ""]) => `${textOf(type)}/${textOf(name)}`,
  toObject: ([list, key, value]) =>
    Object.fromEntries(listOf(list).map((item) => [textOf(lambda(key)(item)), lambda(value)(item)])),
  union: ([first, ...others]) =>
    isList(first) ? [...new Set([first, ...others].flatMap(listOf))] : others.reduce(merge, first),
  uniqueString: (given) => hashOf(given).slice(0, 13),
};

/** Calls a function of the language. Throws an Error if it is not supported. */
export function call(name: string, given: readonly Value[], names: Names): Value {
  const found = functions[name];
  if (!found) throw new Error(`Unknown function ${name}()`);
  const [first = null, ...others] = given;
  return found([first, ...others], names);
}

/** Returns a member of an object, list or resource. Only Azure knows a resource's other properties. */
export function readMember(object: Value, key: Value, isOptional: boolean): Value {
  if (object instanceof RuntimeValue) return new RuntimeValue(`${object.text}.${textOf(key)}`);
  if (object instanceof Resource) {
    const known: Readonly<Record<string, string>> = {
      id: object.id,
      name: object.name.split("/").at(-1) ?? "",
    };
    return known[textOf(key)] ?? new RuntimeValue(`${object.name}.${textOf(key)}`);
  }
  if (isList(object) && typeof key === "number" && key < object.length) return object[key] ?? null;
  const name = textOf(key);
  if (isObject(object) && Object.hasOwn(object, name)) return object[name] ?? null;
  if (isOptional) return null;
  throw new Error(`There is no property ${name} in ${JSON.stringify(object).slice(0, 200)}`);
}

const same = (one: Value, other: Value): boolean =>
  JSON.stringify(toPlain(one)) === JSON.stringify(toPlain(other));

/** Returns the result of an operator. The second operand is evaluated only if the operator needs it. */
export function operate(operator: string, first: Value, evaluateSecond: () => Value): Value {
  if (operator === "&&") return first === true && evaluateSecond() === true;
  if (operator === "||") return first === true || evaluateSecond() === true;
  if (operator === "??") return first ?? evaluateSecond();
  const second = evaluateSecond();
  if (operator === "==") return same(first, second);
  if (operator === "!=") return !same(first, second);
  if (operator === "<") return Number(first) < Number(second);
  throw new Error(`Unknown operator ${operator}`);
}
