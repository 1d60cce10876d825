/** The table of HTTP routes: which function handles a path and a method. */
import type { FunctionMetadata, OnLog } from "../worker/messages.ts";
import { matchRoute, parseRouteTemplate, type RouteTemplate } from "./route-template.ts";

export interface HttpRoute {
  readonly functionName: string;
  /** With the prefix of host.json, without slashes around it. */
  readonly route: string;
  readonly methods: readonly string[];
  readonly isAnonymous: boolean;
  readonly template: RouteTemplate;
}

export interface RouteMatch {
  readonly route: HttpRoute;
  readonly parameters: Record<string, string>;
}

/**
 * Builds the table in matching order: by function name, ignoring case. Logs and skips a function whose route is
 * reserved, malformed or taken.
 */
export function buildHttpRoutes(
  functions: readonly FunctionMetadata[],
  routePrefix: string,
  onLog: OnLog,
): HttpRoute[] {
  const routes: HttpRoute[] = [];
  const inOrder = functions.toSorted((one, other) => compareOrdinal(one.name, other.name));
  for (const metadata of inOrder) {
    try {
      const route = describeRoute(metadata, routePrefix);
      if (route) {
        refuseConflict(route, routes);
        routes.push(route);
      }
    } catch (error) {
      onLog({
        level: "error",
        category: "Host.Startup",
        message: `The '${metadata.name}' function is in error: ${error instanceof Error ? error.message : String(error)}`,
        functionName: metadata.name,
      });
    }
  }
  return routes;
}

/** Finds the first route whose methods and template match. */
export function findRoute(
  routes: readonly HttpRoute[],
  method: string,
  path: string,
): RouteMatch | undefined {
  for (const route of routes) {
    if (!route.methods.includes(method)) continue;
    const parameters = matchRoute(route.template, path);
    if (parameters) return { route, parameters };
  }
  return undefined;
}

function describeRoute(metadata: FunctionMetadata, routePrefix: string): HttpRoute | undefined {
  const trigger = Object.values(metadata.bindings).find((binding) => binding.type === "httpTrigger");
  if (!trigger) return undefined;
  const ownRoute = (trigger.route || metadata.name).replace(/^\/+/, "");
  if (/^(admin|runtime)/i.test(ownRoute)) {
    throw new Error("The specified route conflicts with one or more built in routes.");
  }
  const route = `${routePrefix}/${ownRoute}`.replace(/^\/+|\/+$/g, "");
  return {
    functionName: metadata.name,
    route,
    methods: (trigger.methods ?? []).map((method) => method.toUpperCase()),
    isAnonymous: (trigger.authLevel ?? "anonymous").toLowerCase() === "anonymous",
    template: parseRouteTemplate(route),
  };
}

function compareOrdinal(one: string, other: string): number {
  const [first, second] = [one.toUpperCase(), other.toUpperCase()];
  return first === second ? 0 : first < second ? -1 : 1;
}

function refuseConflict(route: HttpRoute, routes: readonly HttpRoute[]): void {
  const other = routes.find(
    (candidate) =>
      candidate.route.toLowerCase() === route.route.toLowerCase() &&
      candidate.methods.some((method) => route.methods.includes(method)),
  );
  if (other) throw new Error(`The route conflicts with the route of the function '${other.functionName}'.`);
}
