/** No request matches two functions: the host would choose the one whose name comes first. */
import { expect, test } from "vitest";
import { loadHttpContracts } from "../../scripts/openapi/document.ts";
import { toPattern } from "../../tools/simulators/host/routes.ts";
import { operations } from "../support/api-document.ts";

const contracts = Object.values(await loadHttpContracts());

test.each(operations)("Only one function has the route of $method $path", ({ method, path }) => {
  const called = path.replace("{room_name}", "anything").replace(/\/$/, "");
  const matching = contracts.filter(
    (contract) => contract.method.toLowerCase() === method && toPattern(contract.route).test(called),
  );
  const routes = matching.map(({ route }) => route);
  expect(routes, "exclude the word in roomRoute in src/lib/rooms/read.ts").toHaveLength(1);
});
