/** No request matches two functions: the host would choose the one whose name comes first. */
import { expect, test } from "vitest";
import { loadHttpContracts } from "../../scripts/openapi/document.ts";
import { matchRoute, parseRouteTemplate } from "../../tools/simulators/host/routes.ts";
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

test("No request matches two documented operations", () => {
  expect(contracts).toHaveLength(operations.length);
  const overlaps = contracts.flatMap(([name, contract], index) =>
    contracts
      .slice(index + 1)
      .map(([other, otherContract]) => [name, other, overlap(contract, otherContract)]),
  );
  expect(overlaps.filter(([, , path]) => path !== undefined)).toEqual([]);
});
