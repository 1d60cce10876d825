/** No two functions can match the same request, whatever they are called: the host would take the first by name. */
import { expect, test } from "vitest";
import { matchRoute, parseRouteTemplate } from "../../local/host/http/route-template.ts";
import { loadHttpContracts } from "../../scripts/openapi/http-functions.ts";

interface Routed {
  readonly method: string;
  readonly route: string;
}

/** A path that both routes match under one method, or undefined. */
function overlap(one: Routed, other: Routed): string | undefined {
  const [first, second] = [one, other].map(({ route }) => parseRouteTemplate(route.replace(/\/$/, "")));
  if (!first || !second || one.method !== other.method || first.length !== second.length) return undefined;
  // A literal of either is the only text that can match there; where both have a parameter, anything may.
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

test("there are eleven HTTP functions, and no route has optional or open-ended parameters", () => {
  expect(contracts).toHaveLength(11);
  const segments = contracts.flatMap(([, { route }]) => parseRouteTemplate(route.replace(/\/$/, "")));
  expect(
    segments.filter((segment) => "catchAll" in segment && (segment.catchAll || segment.optional)),
  ).toEqual([]);
});

test.each(pairs)("$name and $other match no request in common", ({ contract, otherContract }) => {
  expect(overlap(contract, otherContract)).toBeUndefined();
});

test.each<[string, Routed, Routed, string | undefined]>([
  [
    "a parameter and a literal",
    { method: "GET", route: "room/{x}" },
    { method: "GET", route: "room/list" },
    "/room/list",
  ],
  [
    "two parameters",
    { method: "GET", route: "room/{x}" },
    { method: "GET", route: "room/{y}/" },
    "/room/anything",
  ],
  [
    "another case",
    { method: "GET", route: "Room/List" },
    { method: "GET", route: "room/list" },
    "/room/list",
  ],
  [
    "crossing parameters",
    { method: "GET", route: "{x}/list" },
    { method: "GET", route: "room/{y}" },
    "/room/list",
  ],
  ["another method", { method: "PUT", route: "room/{x}" }, { method: "GET", route: "room/list" }, undefined],
])("the check sees %s", (_, one, other, path) => {
  expect(overlap(one, other)).toBe(path);
});
