/** Evaluates Bicep files from the main one down: the resources that a deployment would make, and its outputs. */
import { dirname, join } from "node:path";
import { literal, truth } from "./evaluate.ts";
import { type Expression, readExpression } from "./expression.ts";
import { withVariables } from "./functions.ts";
import { parameterValue } from "./parameters.ts";
import { Resource } from "./resource.ts";
import { childrenOf, type Declaration, parseFile, readDeclarations, tokensOf } from "./syntax.ts";
import {
  type Names,
  type ObjectValue,
  objectOf,
  ScopeValue,
  textOf,
  UnknownConstruct,
  type Value,
} from "./values.ts";

export interface Deployment {
  readonly resources: readonly Resource[];
  readonly outputs: ObjectValue;
  /** The values of the main file's parameters. */
  readonly parameters: ObjectValue;
}

const subscriptionId = "00000000-0000-4000-8000-00000000f001";

/** Deploys `infra/main.bicep` with a parameter file, which reads the given environment variables. */
export function deployWith(
  parameterFile: string,
  variables: Readonly<Record<string, string>> = {},
): Deployment {
  return withVariables(variables, () => deployMain(readParameters(parameterFile)));
}

/** Deploys `infra/main.bicep` with these parameters. */
export function deployMain(parameters: ObjectValue): Deployment {
  const scope = new ScopeValue(subscriptionId);
  const { resources, outputs } = deployFile({
    file: join("infra", "main.bicep"),
    path: "main",
    scope,
    given: parameters,
  });
  // Read once: outputs are evaluated when they are asked for.
  return { resources, outputs: { ...outputs }, parameters };
}

/** The parameters that a parameter file gives. */
export function readParameters(file: string): ObjectValue {
  const values = new Map<string, Value>();
  const names: Names = {
    file,
    scope: new ScopeValue(subscriptionId),
    lookUp: (name) => known(values.get(name), name, file),
  };
  for (const { name, node } of readDeclarations(parseFile(file)))
    values.set(name, expressionOf(node, 1).evaluate(names));
  return Object.fromEntries(values);
}

interface FileDeployment {
  readonly file: string;
  readonly path: string;
  readonly scope: ScopeValue;
  readonly given: ObjectValue;
}

function deployFile(deployment: FileDeployment): Pick<Deployment, "resources" | "outputs"> {
  const { file, path, scope, given } = deployment;
  const resources: Resource[] = [];
  const all = readDeclarations(parseFile(file));
  const of = (kind: string): Declaration[] => all.filter((declaration) => declaration.kind === kind);
  const types = new Map(of("type").map(({ name, node }) => [name, child(node, 1)]));
  const declarations = new Map(all.filter(({ kind }) => kind !== "output").map((one) => [one.name, one]));
  const values = new Map<string, Value>();
  const underway = new Set<string>();

  function lookUp(name: string): Value {
    const found = values.get(name);
    if (found !== undefined) return found;
    const declaration = known(declarations.get(name), name, file);
    if (underway.has(name)) throw new Error(`${name} of ${file} depends on itself`);
    underway.add(name);
    const value = valueOf(declaration);
    underway.delete(name);
    values.set(name, value);
    return value;
  }
  const names: Names = { file, scope, lookUp };

  function valueOf(declaration: Declaration): Value {
    const { kind, node } = declaration;
    if (kind === "param") return parameterValue(declaration, given, names, types);
    if (kind === "var") return expressionOf(node, 1).evaluate(names);
    if (kind === "type") return null;
    const body = readExpression(bodyTokens(node));
    const make = kind === "module" ? makeModule : makeResource;
    const one = (expression: Expression, turn: Names): Value => {
      const { condition, body } = expression.conditional ?? { condition: literal(true), body: expression };
      return truth(condition.evaluate(turn)) ? make(declaration, body, turn) : null;
    };
    const { loop } = body;
    return loop ? loop.turns(names).map((turn) => one(loop.body, turn)) : one(body, names);
  }

  function makeResource(declaration: Declaration, expression: Expression, turn: Names): Value {
    const all = objectOf(expression.evaluate(turn), declaration.name);
    const { parent = null, scope: given = null, ...body } = all;
    const typed = textOf(expressionOf(declaration.node, 1).evaluate(turn), "the type");
    const [type = "", apiVersion = ""] = typed.split("@");
    const parentResource = parent instanceof Resource ? parent : undefined;
    if (parent !== null && !parentResource) throw new UnknownConstruct(`the parent of ${declaration.name}`);
    const ownName = textOf(body["name"] ?? null, `the name of ${declaration.name}`);
    const resource = new Resource({
      symbol: declaration.name,
      path,
      type,
      apiVersion,
      name: parentResource ? `${parentResource.fields.name}/${ownName}` : ownName,
      scopeId: parentResource?.fields.scopeId ?? scopeIdOf(given, scope),
      parentId: parentResource?.id,
      isExisting: declaration.node.children.some((node) => node?.type === "existing"),
      batchSize: batchSizeOf(declaration),
      body,
    });
    resources.push(resource);
    return resource;
  }

  function makeModule(declaration: Declaration, expression: Expression, turn: Names): Value {
    const all = objectOf(expression.evaluate(turn), declaration.name);
    const { params = {}, scope: given = null, name = null, dependsOn: _order, ...rest } = all;
    if (Object.keys(rest).length > 0 || (name !== null && typeof name !== "string"))
      throw new UnknownConstruct(`a property of the module ${declaration.name}`);
    const target = textOf(expressionOf(declaration.node, 1).evaluate(turn), "the module's path");
    const inner = deployFile({
      file: join(dirname(file), target),
      path: `${path}/${declaration.name}`,
      scope: moduleScope(given, scope),
      given: objectOf(params, "params"),
    });
    resources.push(...inner.resources);
    // Only the outputs of a module can be read.
    return { outputs: inner.outputs };
  }

  const unknown = Object.keys(given).find((name) => declarations.get(name)?.kind !== "param");
  if (unknown !== undefined) throw new Error(`${file} has no parameter ${unknown}`);
  for (const { name } of declarations.values()) lookUp(name);
  return { resources, outputs: lazily(of("output"), names) };
}

/** Outputs are evaluated when they are read: a module that is not deployed may have none to give. */
function lazily(outputs: readonly Declaration[], names: Names): ObjectValue {
  const properties = outputs.map(({ name, node }): [string, PropertyDescriptor] => [
    name,
    { enumerable: true, get: () => expressionOf(node, 2).evaluate(names) },
  ]);
  return Object.defineProperties({}, Object.fromEntries(properties));
}

function moduleScope(given: Value, own: ScopeValue): ScopeValue {
  if (given === null) return own;
  if (given instanceof ScopeValue) return given;
  if (given instanceof Resource && given.fields.type === "Microsoft.Resources/resourceGroups")
    return new ScopeValue(own.subscriptionId, given.fields.name);
  throw new UnknownConstruct("the scope of a module");
}

function scopeIdOf(given: Value, own: ScopeValue): string {
  if (given === null) return own.id;
  if (given instanceof Resource || given instanceof ScopeValue) return given.id;
  throw new UnknownConstruct("the scope of a resource");
}

function batchSizeOf({ decorators }: Declaration): number | undefined {
  const texts = decorators.map(({ text }) => text).filter((text) => !text.startsWith("@description("));
  if (texts.length === 0) return undefined;
  const size = /^@batchSize\((\d+)\)$/.exec(texts[0] ?? "")?.[1];
  if (size === undefined || texts.length > 1) throw new UnknownConstruct(`the decorators ${texts.join(" ")}`);
  return Number(size);
}

/** The tokens behind the `=` of a resource or module. */
function bodyTokens(node: Declaration["node"]) {
  const tokens = tokensOf(node);
  return tokens.slice(tokens.findIndex(({ text }) => text === "=") + 1);
}

function expressionOf(node: Declaration["node"], index: number): Expression {
  return readExpression(tokensOf(child(node, index)));
}

function child(node: Declaration["node"], index: number): Declaration["node"] {
  const found = childrenOf(node)[index];
  if (!found) throw new Error(`${node.text} has no part ${index}`);
  return found;
}

function known<T>(value: T | undefined, name: string, file: string): T {
  if (value === undefined) throw new Error(`${file} does not declare ${name}`);
  return value;
}
