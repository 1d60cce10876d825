/** No request matches two functions: the host would choose the one whose name comes first. */
import { expect, test } from "vitest";
import { matchRoute, parseRouteTemplate } from "../../tools/local/host/http/route-template.ts";
import { loadHttpContracts } from "../../tools/scripts/openapi/http-functions.ts";
import { operations } from "../support/api-document.ts";

interface Routed {
  readonly method: string;
  readonly route: string;
}

/** A path that both routes match for the same method, or undefined. */
function overlap(one: Routed, other: Routed): string | undefined {
  const [first, second] = [one, other].map(({ route }) => parseRouteTemplate(route.replace(/\/$/, "")));
  if (!first || !second || one.method !== other.method || first.length !== second.length) return undefined;
  // Where one route has a literal, only that text can match both; where both have a parameter, any text does.
  const parts = first.map((segment, index) =>
    [segment, second[index]].flatMap((part) => (part && "literal" in part ? [part.literal] : [])).at(0),
  );
  const path = `/${parts.map((part) => part ?? "anything").join("/")}`;
  return matchRoute(first, path) && matchRoute(second, path) ? path : undefined;
}

const contracts = Object.entries(await loadHttpContracts());
const pairs = contracts.flatMap(([name, contract], index) =>
  contracts.slice(index + 1).map(([other, otherContract]) => ({ name, contract, other, otherContract })),
);

test("The routes of the documented operations have only literals and plain parameters, which the parser accepts", () => {
  expect(contracts).toHaveLength(operations.length);
  for (const [, { route }] of contracts)
    expect(() => parseRouteTemplate(route.replace(/\/$/, ""))).not.toThrow();
});

test.each(pairs)("No request matches both $name and $other", ({ contract, otherContract }) => {
  expect(overlap(contract, otherContract)).toBeUndefined();
});

const get = (route: string): Routed => ({ method: "GET", route });
const listRoute = get("room/list");

test.each<[string, Routed, Routed, string | undefined]>([
  ["a parameter and a literal", get("room/{x}"), listRoute, "/room/list"],
  ["two parameters", get("room/{x}"), get("room/{y}/"), "/room/anything"],
  ["another case", get("Room/List"), listRoute, "/room/list"],
  ["crossing parameters", get("{x}/list"), get("room/{y}"), "/room/list"],
  ["another method", { method: "PUT", route: "room/{x}" }, listRoute, undefined],
])("The check finds the overlap, if any, of routes with %s", (_, one, other, path) => {
  expect(overlap(one, other)).toBe(path);
});
