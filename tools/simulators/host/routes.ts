/**
 * The app's HTTP routes and how requests match them. Templates are in the style of ASP.NET, as far as the app uses them:
 * a segment is a literal or a parameter, which may have a regular expression, as in `room/{name:regex(^[a-z]+$)}`.
 */
import type { FunctionMetadata } from "./messages.ts";

interface Literal {
  readonly literal: string;
}

interface Parameter {
  readonly name: string;
  readonly pattern: RegExp;
}

type RouteTemplate = readonly (Literal | Parameter)[];

export interface HttpRoute {
  readonly functionName: string;
  readonly methods: readonly string[];
  readonly isAnonymous: boolean;
  readonly template: RouteTemplate;
}

interface RouteMatch {
  readonly route: HttpRoute;
  readonly parameters: Record<string, string>;
}

/** Returns the routes in matching order: by function name, ignoring case. Throws if a route is malformed. */
export function buildRoutes(functions: readonly FunctionMetadata[]): HttpRoute[] {
  const inOrder = functions.toSorted((one, other) =>
    one.name.toUpperCase() < other.name.toUpperCase() ? -1 : 1,
  );
  return inOrder.flatMap(({ name, bindings }) => {
    const trigger = Object.values(bindings).find(({ type }) => type === "httpTrigger");
    if (!trigger) return [];
    return {
      functionName: name,
      methods: (trigger.methods ?? []).map((method) => method.toUpperCase()),
      isAnonymous: trigger.authLevel === "anonymous",
      template: parseRouteTemplate((trigger.route ?? name).replaceAll(/^\/+|\/+$/g, "")),
    };
  });
}

/** Finds the first route whose methods and template match a decoded path. */
export function findRoute(
  routes: readonly HttpRoute[],
  method: string,
  path: string,
): RouteMatch | undefined {
  for (const route of routes) {
    const parameters = route.methods.includes(method) ? matchRoute(route.template, path) : undefined;
    if (parameters) return { route, parameters };
  }
  return undefined;
}

/** Decodes a path as the real host does: once, except that an encoded slash stays encoded. */
export function decodePath(path: string): string {
  const parts = path.split(/(%2f)/i);
  return parts.map((part) => (/^%2f$/i.test(part) ? part : decodeText(part))).join("");
}

/** Encoded bytes that are not characters stay encoded. */
function decodeText(text: string): string {
  return text.replaceAll(/(?:%[\da-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });
}

/** Parses a template. Throws if it is malformed or uses unsupported syntax. */
export function parseRouteTemplate(template: string): RouteTemplate {
  return splitSegments(template).map((segment) => {
    const [, name, pattern] = /^\{([^*:=?/{}]+)(?::regex\((.*)\))?\}$/s.exec(segment) ?? [];
    // A doubled brace is one brace of a regular expression.
    if (name !== undefined)
      return { name, pattern: new RegExp(pattern?.replaceAll(/([{}])\1/g, "$1") ?? "", "i") };
    if (segment === "" || /[{}]/.test(segment))
      throw new Error(`Route "${template}": the segment "${segment}" is not valid.`);
    return { literal: segment.toLowerCase() };
  });
}

/** Splits at slashes outside parameters, because a regular expression may contain slashes. */
function splitSegments(template: string): string[] {
  return template.split(/\/(?![^{]*\}(?:\/|$))/);
}

/**
 * Matches a decoded path that starts with a slash, ignoring one trailing slash. Returns the parameters by name, or
 * undefined if the path does not match.
 */
export function matchRoute(template: RouteTemplate, path: string): Record<string, string> | undefined {
  const parts = path.replace(/\/$/, "").slice(1).split("/");
  if (parts.length !== template.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, segment] of template.entries()) {
    const part = parts[index] ?? "";
    if ("literal" in segment) {
      if (part.toLowerCase() !== segment.literal) return undefined;
    } else {
      if (part === "" || !segment.pattern.test(part)) return undefined;
      parameters[segment.name] = part;
    }
  }
  return parameters;
}
