/** Outages of each dependency and of all together, compared with the table in docs/operations.md. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { Received } from "../../tools/simulators/exchange.ts";
import { identities } from "../../tools/simulators/identities.ts";
import { nameOf, operations, violationOf } from "../support/api-operations.ts";
import { tableBelow, unquoted } from "../support/markdown-table.ts";
import { addRoomsOfRequests, sendOneOfEach } from "../support/one-of-each.ts";
import { type Proxy, startProxy } from "../support/proxy.ts";
import { useRunningGateway } from "../support/running-gateway.ts";

interface Situation {
  /** What cannot be used, in the words of the table. */
  readonly missing: readonly string[];
  readonly begin: () => unknown;
  readonly end: () => unknown;
}

let queues: Proxy;
afterAll(async () => queues.stop());
const gateway = useRunningGateway(async ({ AzureWebJobsStorage = "" }) => {
  const queueUrl = /QueueEndpoint=([^;]+)/.exec(AzureWebJobsStorage)?.[1] ?? "";
  queues = await startProxy(queueUrl);
  return { AzureWebJobsStorage: AzureWebJobsStorage.replace(queueUrl, queues.url) };
});
beforeAll(fetchKeys);

async function fetchKeys(): Promise<void> {
  expect(await gateway.sendAsApplication("GET /room/list")).toMatchObject({ status: 200 });
}

const single: Readonly<Record<string, Situation>> = {
  "Identity provider": {
    missing: [],
    begin: () => gateway.stack.issuer.setDown(true),
    end: () => gateway.stack.issuer.setDown(false),
  },
  "Contact centre": {
    missing: ["contact centre"],
    begin: () => gateway.stack.contactCentre.failNext({ kind: "reset", count: undefined }),
    end: () => gateway.stack.contactCentre.clearFaults(),
  },
  Platform: {
    missing: ["platform"],
    begin: async () => gateway.stack.platform.goDown("refuse"),
    end: async () => gateway.stack.platform.goUp(),
  },
  Storage: {
    missing: ["storage"],
    begin: () => queues.setDown(true),
    end: () => queues.setDown(false),
  },
  "Log workspace": {
    missing: [],
    begin: () => gateway.stack.logWorkspace.failNext({ kind: "reset", count: undefined }),
    end: () => gateway.stack.logWorkspace.clearFaults(),
  },
};
const together = Object.values(single);
const situations: Readonly<Record<string, Situation>> = {
  ...single,
  All: {
    missing: together.flatMap(({ missing }) => missing),
    begin: async () => Promise.all(together.map(async ({ begin }) => begin())),
    end: async () => Promise.all(together.map(async ({ end }) => end())),
  },
  "Identity provider, no key fetched yet": {
    missing: ["signing keys"],
    begin: async () => {
      gateway.stack.issuer.setDown(true);
      await gateway.restart();
    },
    end: async () => {
      gateway.stack.issuer.setDown(false);
      // The app would ask again after ten seconds.
      await gateway.restart();
      await fetchKeys();
    },
  },
};

/** Sends one valid request of each operation. */
async function responsesDuring(name: string, { begin, end }: Situation): Promise<Map<string, Received>> {
  // The verdict on another situation's agent token may be cached.
  const agentToken = `agent-while-${name.replaceAll(/[ ,]/g, "-")}-is-down`;
  const { divisionId } = identities;
  const agent = { divisionId, divisionName: "x", id: "x", name: "An agent" };
  gateway.stack.contactCentre.setUsers([{ ...agent, token: agentToken }]);
  await addRoomsOfRequests(gateway);
  await begin();
  onTestFinished(async () => void (await end()));
  const responses = await sendOneOfEach(gateway, (request, { security }) => ({
    ...request,
    headers: { ...request.headers, ...(security === "agentToken" && { "x-auth-token": agentToken }) },
  }));
  return new Map(responses.map(([operation, response]) => [nameOf(operation), response]));
}

const needed = documentedNeeds();

test("The table in docs/operations.md lists every operation, and only dependencies that are tested here", () => {
  expect(Object.keys(needed).toSorted()).toEqual(operations.map(nameOf).toSorted());
  const known = Object.values(situations).flatMap(({ missing }) => missing);
  expect(new Set(Object.values(needed).flat())).toEqual(new Set([...known, "nothing"]));
});

test.each(Object.entries(situations))(
  "Operations return 503 if they need what is down, and succeed otherwise: %s",
  async (name, situation) => {
    await gateway.empty();
    const responses = await responsesDuring(name, situation);
    const seen = Object.fromEntries([...responses].map(([operation, { status }]) => [operation, status]));
    const expected = operations.map((operation) => {
      const isStopped = needed[nameOf(operation)]?.some((need) => situation.missing.includes(need));
      return [nameOf(operation), isStopped ? 503 : operation.successStatus];
    });
    expect(seen).toEqual(Object.fromEntries(expected));
    const violations = [...responses].map(([operation, response]) => {
      const [method = "", path = ""] = operation.split(" ");
      return violationOf(method, path, response);
    });
    expect(violations.filter((violation) => violation !== undefined)).toEqual([]);
  },
);

/** What each operation needs, as the table of the operations guide says. */
function documentedNeeds(): Record<string, string[]> {
  const guide = readFileSync(new URL("../../docs/operations.md", import.meta.url), "utf8");
  const rows = tableBelow(guide, "## Behaviour during outages");
  return Object.fromEntries(
    rows.flatMap(([names = "", needs = ""]) =>
      unquoted(names)
        .split(", ")
        .map((name) => [name, needs.split(", ")]),
    ),
  );
}
