/** What the parts of a Bicep expression are worth. */
import { functions, memberOf, merge } from "./functions.ts";
import { Resource, toPlain } from "./resource.ts";
import { runtimeProperties } from "./runtime-properties.ts";
import { type Names, objectOf, UnknownConstruct, type Value } from "./values.ts";

/** An expression that is worth the same everywhere. */
export const literal = (value: Value) => ({ evaluate: () => value });

/** The value of a condition. Throws an Error if it is no boolean. */
export function truth(value: Value): boolean {
  if (typeof value !== "boolean") throw new Error(`A condition is ${JSON.stringify(value)}`);
  return value;
}

/** The text of a string with the values of its interpolations. */
export function textOfParts(parts: readonly Value[]): string {
  return parts
    .map((part) => {
      if (typeof part === "string" || typeof part === "number" || typeof part === "boolean")
        return String(part);
      throw new UnknownConstruct(`${JSON.stringify(part)} inside a string`);
    })
    .join("");
}

export function call(name: string, given: readonly Value[], names: Names): Value {
  const found = functions[name];
  if (!found) throw new UnknownConstruct(`the function ${name}()`);
  return found(given, names);
}

export function readMember(object: Value, key: Value, isOptional: boolean): Value {
  if (object instanceof Resource) return memberOf(visibleOf(object), key, isOptional);
  return memberOf(object, key, isOptional);
}

/** What a template can read of a resource: what it was given, and what Azure adds. */
function visibleOf(resource: Resource): Value {
  const { type, name, apiVersion, body } = resource.fields;
  const given = objectOf(body, resource.id);
  const known = { id: resource.id, name: resource.ownName, type, apiVersion };
  return merge({ ...given, ...known }, runtimeProperties(type, name));
}

/** The second operand is evaluated only if the operator needs it. */
export function operate(operator: string, first: Value, evaluateSecond: () => Value): Value {
  if (operator === "&&") return truth(first) && truth(evaluateSecond());
  if (operator === "||") return truth(first) || truth(evaluateSecond());
  if (operator === "??") return first ?? evaluateSecond();
  const second = evaluateSecond();
  if (operator === "==" || operator === "!=")
    return (JSON.stringify(toPlain(first)) === JSON.stringify(toPlain(second))) === (operator === "==");
  if (typeof first !== "number" || typeof second !== "number")
    throw new UnknownConstruct(`${operator} of other values than numbers`);
  const arithmetic: Readonly<Record<string, Value>> = {
    "<": first < second,
    "<=": first <= second,
    ">": first > second,
    ">=": first >= second,
    "+": first + second,
    "-": first - second,
    "*": first * second,
    "/": Math.trunc(first / second),
    "%": first % second,
  };
  const result = arithmetic[operator];
  if (result === undefined) throw new UnknownConstruct(`the operator ${operator}`);
  return result;
}
