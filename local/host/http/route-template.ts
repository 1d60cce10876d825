/** Route templates in the style of ASP.NET: `room/{name}`, `{x?}`, `{x=5}`, `{*rest}`, `{x:int}`. */
import { type Constraint, parseConstraint } from "./route-constraints.ts";

interface Literal {
  readonly literal: string;
}

interface Parameter {
  readonly name: string;
  readonly catchAll: boolean;
  readonly optional: boolean;
  readonly defaultValue: string | undefined;
  readonly constraints: Constraint[];
}

type Segment = Literal | Parameter;

export type RouteTemplate = readonly Segment[];

/** Parses a template. Throws if it is malformed or uses an unknown constraint. */
export function parseRouteTemplate(template: string): RouteTemplate {
  const segments: Segment[] = [];
  let position = template.startsWith("/") ? 1 : 0;
  while (position < template.length) {
    const [segment, end] =
      template[position] === "{" ? parseParameter(template, position) : parseLiteral(template, position);
    if (end < template.length && template[end] !== "/") {
      throw new Error(`Route "${template}": a segment is a literal or one parameter, not a mixture.`);
    }
    segments.push(segment);
    position = end + 1;
  }
  return segments;
}

/**
 * Matches a decoded path that starts with a slash, ignoring one slash at its end. Returns the parameters by name, or
 * undefined if the path does not match.
 */
export function matchRoute(template: RouteTemplate, path: string): Record<string, string> | undefined {
  const parts = path.slice(1).split("/");
  if (parts.at(-1) === "") {
    parts.pop();
  }
  const parameters: Record<string, string> = {};
  for (const [index, segment] of template.entries()) {
    const part = parts[index];
    if ("literal" in segment) {
      if (part?.toLowerCase() !== segment.literal) return undefined;
      continue;
    }
    const text = segment.catchAll ? parts.slice(index).join("/") : part;
    const isMissing = text === undefined || (segment.catchAll && text === "");
    const value = isMissing ? segment.defaultValue : text;
    if (value === undefined && segment.optional) continue;
    if (value === undefined || value === "") return undefined;
    if (!segment.constraints.every((fits) => fits(value))) return undefined;
    parameters[segment.name] = value;
  }
  const isOpenEnded = template.some((segment) => "catchAll" in segment && segment.catchAll);
  return isOpenEnded || parts.length <= template.length ? parameters : undefined;
}

function parseLiteral(template: string, start: number): [Literal, number] {
  const slash = template.indexOf("/", start);
  const end = slash === -1 ? template.length : slash;
  const literal = template.slice(start, end);
  if (literal === "" || /[{}]/.test(literal)) {
    throw new Error(`Route "${template}": the segment "${literal}" is not valid.`);
  }
  return [{ literal: literal.toLowerCase() }, end];
}

function parseParameter(template: string, start: number): [Parameter, number] {
  let text = "";
  let position = start + 1;
  // A doubled brace is one brace of a regular expression; a single one ends the parameter.
  for (; ; position += 1) {
    const character = template[position];
    if (character === undefined) throw new Error(`Route "${template}": a parameter is not closed.`);
    if (character === "{" || character === "}") {
      if (template[position + 1] === character) {
        position += 1;
      } else if (character === "}") {
        break;
      } else {
        throw new Error(`Route "${template}": a brace inside a parameter must be doubled.`);
      }
    }
    text += character;
  }
  return [describeParameter(template, text), position + 1];
}

function describeParameter(template: string, text: string): Parameter {
  const [, stars = "", name = "", rest = ""] = /^(\*{0,2})([^*:=?/]+)(.*)$/s.exec(text) ?? [];
  if (name === "") throw new Error(`Route "${template}": the parameter "${text}" has no name.`);
  const { constraints, tail } = splitConstraints(rest);
  const catchAll = stars !== "";
  return {
    name,
    catchAll,
    optional: catchAll || tail === "?",
    defaultValue: tail.startsWith("=") ? tail.slice(1) : undefined,
    constraints: constraints.map((constraint) => parseConstraint(constraint)),
  };
}

// A constraint's arguments end at a bracket before the next constraint or the tail, so a regular expression may contain
// brackets and colons.
function splitConstraints(rest: string): { constraints: string[]; tail: string } {
  const constraints: string[] = [];
  let tail = rest;
  while (tail.startsWith(":")) {
    const match = /^:([a-z]+\(.*?\)(?=:|=|\?$|$)|[a-z]+)(.*)$/is.exec(tail);
    if (!match) throw new Error(`The route constraint "${tail}" is not valid.`);
    constraints.push(match[1] ?? "");
    tail = match[2] ?? "";
  }
  if (tail !== "" && tail !== "?" && !tail.startsWith("=")) {
    throw new Error(`The route parameter ends with "${tail}", which is not understood.`);
  }
  return { constraints, tail };
}
