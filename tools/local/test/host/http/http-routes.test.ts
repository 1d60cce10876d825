/** The table of routes: its order, the prefix, and what is kept out of it. */
import { expect, test } from "vitest";
import { buildHttpRoutes, findRoute } from "../../../host/http/http-routes.ts";
import type { LogEntry } from "../../../host/worker/messages.ts";

function build(functions: Record<string, string>, routePrefix = "", methods = ["GET"]) {
  const log: LogEntry[] = [];
  const metadata = Object.entries(functions).map(([name, route]) => ({
    name,
    bindings: { trigger: { type: "httpTrigger", direction: "in", route, methods } },
  }));
  return { routes: buildHttpRoutes(metadata, routePrefix, (line) => log.push(line)), log };
}

test("The first matching function by name handles a route, regardless of case and registration order", () => {
  const literalFirst = build({ b_param: "room/{x}", A_literal: "room/list" });
  expect(findRoute(literalFirst.routes, "GET", "/room/list")?.route.functionName).toBe("A_literal");
  const parameterFirst = build({ b_literal: "room/list", a_param: "room/{x}" });
  expect(findRoute(parameterFirst.routes, "GET", "/room/list")?.route.functionName).toBe("a_param");
});

test("Every route starts with the prefix of host.json", () => {
  const { routes } = build({ ping: "ping" }, "api/v1");
  expect(findRoute(routes, "GET", "/api/v1/ping")?.route.route).toBe("api/v1/ping");
  expect(findRoute(routes, "GET", "/ping")).toBeUndefined();
});

test("A function without a route is reached by its name", () => {
  expect(findRoute(build({ ping: "" }).routes, "GET", "/ping")?.parameters).toEqual({});
});

test.each(["admin/x", "administrators", "runtime"])("The reserved route %s is refused", (route) => {
  const { routes, log } = build({ bad: route, good: "good" });
  expect(routes.map((entry) => entry.functionName)).toEqual(["good"]);
  expect(log).toEqual([expect.objectContaining({ level: "error", functionName: "bad" })]);
});

test("The second function with the same route and method is refused", () => {
  const { routes, log } = build({ first: "room/list", second: "/Room/List/" });
  expect(routes.map((entry) => entry.functionName)).toEqual(["first"]);
  expect(log[0]?.message).toContain("'first'");
});
