/** Parameters of a Bicep file: every one is given or has a default, and fits its type and its decorators. */
import { readExpression } from "./expression.ts";
import { childrenOf, type Declaration, tokensOf } from "./syntax.ts";
import {
  isList,
  isObject,
  type Names,
  type ObjectValue,
  objectOf,
  UnknownConstruct,
  type Value,
} from "./values.ts";

type Node = Declaration["node"];
type Types = ReadonlyMap<string, Node>;

/** The value of a parameter. Throws an Error if it is neither given nor has a default, or does not fit. */
export function parameterValue(
  declaration: Declaration,
  given: ObjectValue,
  names: Names,
  types: Types,
): Value {
  const { name, node } = declaration;
  const [, type, byDefault] = childrenOf(node);
  if (!type) throw new Error(`The parameter ${name} has no type`);
  const isGiven = Object.hasOwn(given, name);
  if (!isGiven && !byDefault) throw new Error(`The parameter ${name} of ${names.file} is not given`);
  const value =
    isGiven || !byDefault ? (given[name] ?? null) : readExpression(tokensOf(byDefault)).evaluate(names);
  const fault = typeFault(type, value, types) ?? decoratorFault(declaration, value, names);
  if (fault !== undefined) throw new Error(`The parameter ${name} of ${names.file} ${fault}`);
  return value;
}

const primitives: Readonly<Record<string, (value: Value) => boolean>> = {
  string: (value) => typeof value === "string",
  int: (value) => Number.isInteger(value),
  bool: (value) => typeof value === "boolean",
  array: isList,
  object: isObject,
};

/** What is wrong with a value of that type, or nothing. */
function typeFault(type: Node, value: Value, types: Types): string | undefined {
  const [inner] = childrenOf(type);
  if (type.type === "nullable_type" && value === null) return undefined;
  if (["type", "nullable_type", "parenthesized_type"].includes(type.type) && inner)
    return typeFault(inner, value, types);
  if (type.type === "array_type" && inner) {
    if (!isList(value)) return "is no array";
    return value.map((item) => typeFault(inner, item, types)).find((fault) => fault !== undefined);
  }
  if (type.type === "object") return shapeFault(type, value, types);
  const named = types.get(type.text);
  if (named) return typeFault(named, value, types);
  const fits = primitives[type.text];
  if (!fits) throw new UnknownConstruct(`the type ${type.text}`);
  return fits(value) ? undefined : `is no ${type.text} but ${JSON.stringify(value)}`;
}

/** Object types are taken as sealed, so a misspelled name is a fault. */
function shapeFault(type: Node, value: Value, types: Types): string | undefined {
  const fields = childrenOf(type).filter((node) => node.type === "object_property");
  const shape = new Map(fields.map((field) => [field.namedChild(0)?.text ?? "", field.namedChild(1)]));
  const object = objectOf(value, "the value");
  const unknown = Object.keys(object).find((key) => !shape.has(key));
  if (unknown !== undefined) return `has the unknown property ${unknown}`;
  for (const [key, fieldType] of shape) {
    if (!fieldType) throw new UnknownConstruct(`a property ${key} without a type`);
    const fault = typeFault(fieldType, object[key] ?? null, types);
    if (fault !== undefined) return `.${key} ${fault}`;
  }
  return undefined;
}

function decoratorFault({ decorators }: Declaration, value: Value, names: Names): string | undefined {
  const size = typeof value === "string" || isList(value) ? value.length : Number.NaN;
  for (const decorator of decorators) {
    const { call } = readExpression(tokensOf(decorator).filter(({ text }) => text !== "@"));
    if (!call) throw new UnknownConstruct(`the decorator ${decorator.text}`);
    if (["description", "sealed", "secure"].includes(call.name)) continue;
    const [limit] = call.given.map((argument) => argument.evaluate(names));
    const checks: Readonly<Record<string, boolean>> = {
      allowed: isList(limit ?? null) && [limit].flat().includes(value),
      minLength: size >= Number(limit),
      maxLength: size <= Number(limit),
      minValue: Number(value) >= Number(limit),
      maxValue: Number(value) <= Number(limit),
    };
    const holds = checks[call.name];
    if (holds === undefined) throw new UnknownConstruct(`the decorator @${call.name}()`);
    if (!holds) return `breaks @${call.name}(${JSON.stringify(limit)}) with ${JSON.stringify(value)}`;
  }
  return undefined;
}
