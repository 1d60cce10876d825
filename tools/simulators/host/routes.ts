/** The app's HTTP routes as regular expressions, and how requests match them. Templates are in the style of ASP.NET. */
import type { FunctionMetadata } from "./messages.ts";

export interface HttpRoute {
  readonly functionName: string;
  readonly methods: readonly string[];
  readonly isAnonymous: boolean;
  readonly pattern: RegExp;
}

/** Returns the routes in matching order: by function name, ignoring case. */
export function buildRoutes(functions: readonly FunctionMetadata[]): HttpRoute[] {
  const inOrder = functions.toSorted((one, other) =>
    one.name.toUpperCase() < other.name.toUpperCase() ? -1 : 1,
  );
  return inOrder.flatMap(({ name, bindings }) => {
    const trigger = Object.values(bindings).find(({ type }) => type === "httpTrigger");
    if (!trigger) return [];
    const methods = (trigger.methods ?? []).map((method) => method.toUpperCase());
    const isAnonymous = trigger.authLevel === "anonymous";
    return { functionName: name, methods, isAnonymous, pattern: toPattern(trigger.route ?? name) };
  });
}

/**
 * A parameter is one segment; its own expression, if it has one, is checked on that segment. A doubled brace is one.
 */
export function toPattern(template: string): RegExp {
  const source = template
    .replaceAll(/^\/+|\/+$/g, "")
    .replaceAll(/\{(\w+)(?::regex\((.*?)\))?\}(?=\/|$)/g, (_, name: string, expression = "") => {
      const own = expression
        .replaceAll(/([{}])\1/g, "$1")
        .replace(/^\^/, "")
        .replaceAll("$", "(?:/|$)");
      return `(?=${own})(?<${name}>[^/]+)`;
    });
  return new RegExp(`^/${source}/?$`, "i");
}

/** Finds the first route whose methods and pattern match a decoded path. */
export function findRoute(routes: readonly HttpRoute[], method: string, path: string) {
  for (const route of routes) {
    const match = route.methods.includes(method) ? route.pattern.exec(path) : null;
    if (match) return { route, parameters: { ...match.groups } };
  }
  return undefined;
}

/** Decodes a path as the real host does: once, except encoded slashes and bytes that are not characters. */
export function decodePath(path: string): string {
  return path.replaceAll(/(?:%(?!2f)[\da-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });
}
