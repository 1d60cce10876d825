/** Evaluates expressions of the Bicep language. */
import type { Expression, Loop } from "./expression.ts";
import { functions, memberOf, merge } from "./functions.ts";
import { Resource, toPlain } from "./resource.ts";
import { runtimeProperties } from "./runtime-properties.ts";
import {
  LambdaValue,
  listOf,
  ModuleValue,
  type Names,
  objectOf,
  textOf,
  UnknownConstruct,
  type Value,
  withName,
} from "./values.ts";

/** The value of an expression. Throws an UnknownConstruct if it holds what is not known here. */
export function evaluate(expression: Expression, names: Names): Value {
  switch (expression.kind) {
    case "literal":
      return expression.value;
    case "text":
      return textOfParts(expression.parts.map((part) => evaluate(part, names)));
    case "name":
      return names.lookUp(expression.name);
    case "member":
      return readMember(
        evaluate(expression.object, names),
        evaluate(expression.key, names),
        expression.optional,
      );
    case "call":
      return call(
        expression.name,
        expression.arguments.map((argument) => evaluate(argument, names)),
        names,
      );
    case "lambda":
      return new LambdaValue((argument) =>
        evaluate(expression.body, withName(names, expression.parameters[0] ?? "", argument)),
      );
    case "not":
      return !truth(evaluate(expression.operand, names));
    case "operation":
      return operate(expression, names);
    case "choice":
      return evaluate(truth(evaluate(expression.condition, names)) ? expression.yes : expression.no, names);
    case "object":
      return Object.fromEntries(
        expression.entries.map(([key, value]) => [
          textOf(evaluate(key, names), "a key"),
          evaluate(value, names),
        ]),
      );
    case "array":
      return expression.items.map((item) => evaluate(item, names));
    case "loop":
      return turnsOf(expression, names).map((turn) => evaluate(expression.body, turn));
    case "conditional":
      throw new UnknownConstruct("a condition outside of a resource or module");
  }
}

/** The names that each turn of a loop sees. */
export function turnsOf({ item, index, list }: Loop, names: Names): Names[] {
  return listOf(evaluate(list, names), "what a loop goes over").map((value, position) => {
    const withItem = withName(names, item, value);
    return index === undefined ? withItem : withName(withItem, index, position);
  });
}

/** The value of a condition. Throws an Error if it is no boolean. */
export function truth(value: Value): boolean {
  if (typeof value !== "boolean") throw new Error(`A condition is ${JSON.stringify(value)}`);
  return value;
}

function textOfParts(parts: readonly Value[]): string {
  return parts
    .map((part) => {
      if (typeof part === "string" || typeof part === "number" || typeof part === "boolean")
        return String(part);
      throw new UnknownConstruct(`${JSON.stringify(part)} inside a string`);
    })
    .join("");
}

function call(name: string, given: readonly Value[], names: Names): Value {
  const found = functions[name];
  if (!found) throw new UnknownConstruct(`the function ${name}()`);
  return found(given, names);
}

function readMember(object: Value, key: Value, isOptional: boolean): Value {
  if (object instanceof Resource) return memberOf(visibleOf(object), key, isOptional);
  if (object instanceof ModuleValue) return memberOf({ outputs: object.outputs }, key, isOptional);
  return memberOf(object, key, isOptional);
}

/** What a template can read of a resource: what it was given, and what Azure adds. */
function visibleOf(resource: Resource): Value {
  const { type, name, apiVersion, body } = resource.fields;
  const given = objectOf(body, resource.id);
  const known = { id: resource.id, name: resource.ownName, type, apiVersion };
  return merge({ ...given, ...known }, runtimeProperties(type, name));
}

function operate({ operator, left, right }: Expression & { kind: "operation" }, names: Names): Value {
  const first = evaluate(left, names);
  if (operator === "&&") return truth(first) && truth(evaluate(right, names));
  if (operator === "||") return truth(first) || truth(evaluate(right, names));
  if (operator === "??") return first ?? evaluate(right, names);
  const second = evaluate(right, names);
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
