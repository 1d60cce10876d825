/** Evaluates Bicep files from the main one down: the resources that a deployment would make, and its outputs. */
import { dirname, join } from "node:path";
import { type Expression, readExpression } from "./expression.ts";
import { childrenOf, type Declaration, readDeclarations, tokensOf } from "./syntax.ts";
import { type Names, type ObjectValue, objectOf, Resource, textOf, truth, type Value } from "./values.ts";

export interface Deployment {
  readonly resources: readonly Resource[];
  readonly outputs: ObjectValue;
}

const subscription = "/subscriptions/00000000-0000-4000-8000-00000000f001";

/** Returns what `infra/main.bicepparam` makes of these environment variables. */
export function readParameters(variables: Readonly<Record<string, string>>): ObjectValue {
  const file = join("infra", "main.bicepparam");
  const values = new Map<string, Value>();
  const parameters = new Set<string>();
  const lookUp = (name: string): Value => known(values.get(name), name, file);
  for (const { name, node } of readDeclarations(file)) {
    values.set(name, expressionOf(node, 1).evaluate({ file, scopeId: subscription, variables, lookUp }));
    if (!["isFirstRun", "none"].includes(name)) parameters.add(name);
  }
  return Object.fromEntries([...values].filter(([name]) => parameters.has(name)));
}

/** Deploys `infra/main.bicep`, or another file, with these parameters. */
export function deploy(given: ObjectValue, file = join("infra", "main.bicep")): Deployment {
  const { resources, outputs } = deployFile({ file, scopeId: subscription, given });
  // Read once: outputs are evaluated when they are asked for.
  return { resources, outputs: { ...outputs } };
}

interface FileDeployment {
  readonly file: string;
  readonly scopeId: string;
  readonly given: ObjectValue;
}

function deployFile({ file, scopeId, given }: FileDeployment): Deployment {
  const resources: Resource[] = [];
  const all = readDeclarations(file);
  const declarations = new Map(all.filter(({ kind }) => kind !== "output").map((one) => [one.name, one]));
  const values = new Map<string, Value>();
  const names: Names = { file, scopeId, variables: {}, lookUp };

  function lookUp(name: string): Value {
    const found = values.get(name);
    if (found !== undefined) return found;
    const value = valueOf(known(declarations.get(name), name, file));
    values.set(name, value);
    return value;
  }

  function valueOf({ kind, name, node }: Declaration): Value {
    if (kind === "param") return known(given[name], name, file);
    if (kind === "var") return expressionOf(node, 1).evaluate(names);
    const tokens = tokensOf(node);
    const body = readExpression(tokens.slice(tokens.findIndex(({ text }) => text === "=") + 1));
    const target = textOf(expressionOf(node, 1).evaluate(names));
    const isExisting = node.children.some((child) => child?.type === "existing");
    const make = (values: Value): Value =>
      kind === "module"
        ? makeModule(target, objectOf(values))
        : makeResource(target, objectOf(values), isExisting);
    const one = ({ conditional, evaluate }: Expression, turn: Names): Value => {
      if (!conditional) return make(evaluate(turn));
      return truth(conditional.condition.evaluate(turn)) ? make(conditional.body.evaluate(turn)) : null;
    };
    const { loop } = body;
    return loop ? loop.turns(names).map((turn) => one(loop.body, turn)) : one(body, names);
  }

  function makeResource(target: string, values: ObjectValue, isExisting: boolean): Value {
    const { parent = null, scope = null, ...body } = values;
    const ownName = textOf(body["name"] ?? null);
    const resource = new Resource({
      type: target.split("@")[0] ?? "",
      name: parent instanceof Resource ? `${parent.name}/${ownName}` : ownName,
      scopeId: scope instanceof Resource ? scope.id : (scopeOf(parent) ?? scopeId),
      isExisting,
      body,
    });
    resources.push(resource);
    return resource;
  }

  function makeModule(target: string, { params = {}, scope = null }: ObjectValue): Value {
    const inner = deployFile({
      file: join(dirname(file), target),
      scopeId:
        scope === null
          ? scopeId
          : textOf(scope instanceof Resource ? scope.id : (objectOf(scope)["id"] ?? null)),
      given: objectOf(params),
    });
    resources.push(...inner.resources);
    return { outputs: inner.outputs };
  }

  const unknown = Object.keys(given).find((name) => declarations.get(name)?.kind !== "param");
  if (unknown !== undefined) throw new Error(`${file} has no parameter ${unknown}`);
  for (const { name } of declarations.values()) lookUp(name);
  // Lazy: a module that is not deployed may have none to give.
  const outputs = all
    .filter(({ kind }) => kind === "output")
    .map(({ name, node }): [string, PropertyDescriptor] => [
      name,
      { enumerable: true, get: () => expressionOf(node, 2).evaluate(names) },
    ]);
  return { resources, outputs: Object.defineProperties({}, Object.fromEntries(outputs)) };
}

/** The scope of a child is that of its parent. */
function scopeOf(parent: Value): string | undefined {
  return parent instanceof Resource ? parent.id.slice(0, parent.id.lastIndexOf("/providers/")) : undefined;
}

function expressionOf(node: Declaration["node"], index: number): Expression {
  return readExpression(tokensOf(known(childrenOf(node)[index], `part ${index}`, node.text)));
}

function known<T>(value: T | undefined, name: string, place: string): T {
  if (value === undefined) throw new Error(`${place} does not know ${name}`);
  return value;
}
