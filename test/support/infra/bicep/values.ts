/** The values of Bicep expressions. */
import type { Resource } from "./resource.ts";

export type Value =
  | string
  | number
  | boolean
  | null
  | readonly Value[]
  | ObjectValue
  | Resource
  | Lambda
  | ScopeValue;

export type Lambda = (argument: Value) => Value;

export interface ObjectValue {
  readonly [key: string]: Value;
}

/** A subscription, or a resource group in one. */
export class ScopeValue {
  readonly subscriptionId: string;
  readonly resourceGroup: string | undefined;

  constructor(subscriptionId: string, resourceGroup?: string) {
    this.subscriptionId = subscriptionId;
    this.resourceGroup = resourceGroup;
  }

  get id(): string {
    const group = this.resourceGroup === undefined ? "" : `/resourceGroups/${this.resourceGroup}`;
    return `/subscriptions/${this.subscriptionId}${group}`;
  }
}

/** What names mean at one place of a file. */
export interface Names {
  readonly file: string;
  readonly scope: ScopeValue;
  readonly lookUp: (name: string) => Value;
}

/** The same names and one more, as in the body of a loop. */
export function withName(names: Names, name: string, value: Value): Names {
  return { ...names, lookUp: (wanted) => (wanted === name ? value : names.lookUp(wanted)) };
}

export function isObject(value: Value): value is ObjectValue {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

/** The value as text. Throws an Error if it is none. */
export function textOf(value: Value, what: string): string {
  if (typeof value !== "string") throw new Error(`${what} is not a string but ${JSON.stringify(value)}`);
  return value;
}

export function listOf(value: Value, what: string): readonly Value[] {
  if (!isList(value)) throw new Error(`${what} is not an array but ${JSON.stringify(value)}`);
  return value;
}

export function objectOf(value: Value, what: string): ObjectValue {
  if (!isObject(value)) throw new Error(`${what} is not an object but ${JSON.stringify(value)}`);
  return value;
}

/** Thrown if an expression holds something that the evaluator does not know. */
export class UnknownConstruct extends Error {}
