/**
 * Route templates in the style of ASP.NET, as far as the app uses them: a segment is a literal or a parameter, which may
 * have a regular expression, as in `room/{name:regex(^[a-z]+$)}`.
 */

interface Literal {
  readonly literal: string;
}

interface Parameter {
  readonly name: string;
  readonly pattern: RegExp;
}

export type RouteTemplate = readonly (Literal | Parameter)[];

/** Parses a template. Throws if it is malformed, or uses what this host does not know. */
export function parseRouteTemplate(template: string): RouteTemplate {
  return splitSegments(template.replace(/^\//, "")).map((segment) => {
    const [, name, pattern] = /^\{([^*:=?/{}]+)(?::regex\((.*)\))?\}$/s.exec(segment) ?? [];
    // A doubled brace is one brace of a regular expression.
    if (name !== undefined)
      return { name, pattern: new RegExp(pattern?.replace(/([{}])\1/g, "$1") ?? "", "i") };
    if (segment === "" || /[{}]/.test(segment))
      throw new Error(`Route "${template}": the segment "${segment}" is not valid.`);
    return { literal: segment.toLowerCase() };
  });
}

/** Splits at slashes outside of parameters: a regular expression may contain slashes. */
function splitSegments(template: string): string[] {
  return template === "" ? [] : template.split(/\/(?![^{]*\}(?:\/|$))/);
}

/**
 * Matches a decoded path that starts with a slash, ignoring one slash at its end. Returns the parameters by name, or
 * undefined if the path does not match.
 */
export function matchRoute(template: RouteTemplate, path: string): Record<string, string> | undefined {
  const parts = path.slice(1).split("/");
  if (parts.at(-1) === "") parts.pop();
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
