/** Outages of each dependency and of all together, compared with the table in docs/operations.md. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { Received } from "../../tools/simulators/exchange.ts";
import { identities } from "../../tools/simulators/identities.ts";
import { nameOf, type Operation, operations, validRequest } from "../support/api-operations.ts";
import { tableBelow, unquoted } from "../support/markdown-table.ts";
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

/** Requests that differ from the valid request for "a-room", because all of them are sent at once. */
const paths: Readonly<Record<string, string>> = {
  "DELETE /room/{room_name}": "/room/b-room",
  "POST /room/bulk/": "/room/bulk/?max_vmr=1",
};
const bodies: Readonly<Record<string, unknown>> = {
  "PATCH /room/{room_name}": { participant_limit: 5 },
  "POST /public/event_sink": { event: "conference_ended", data: { name: "c-room" } },
};

/** Sends one valid request of each operation, all at once; bulk delete last, because it deletes the rooms. */
async function responsesDuring(name: string, { begin, end }: Situation): Promise<Map<string, Received>> {
  // The verdict on another situation's agent token may be cached.
  const agentToken = `agent-while-${name.replaceAll(/[ ,]/g, "-")}-is-down`;
  const { divisionId } = identities;
  const agent = { divisionId, divisionName: "x", id: "x", name: "An agent" };
  gateway.stack.contactCentre.setUsers([{ ...agent, token: agentToken }]);
  for (const name of ["a-room", "b-room", "c-room"]) gateway.addRoom(name);
  for (const name of ["pooled-1", "pooled-2"]) {
    gateway.addRoom(name);
    await gateway.queues.pool.put(name);
  }
  await begin();
  onTestFinished(async () => void (await end()));
  const send = async (operation: Operation): Promise<[string, Received]> => {
    const key = nameOf(operation);
    const { method, path, sent } = validRequest(operation, gateway.bearerToken());
    const headers = {
      ...sent.headers,
      ...(operation.security === "agentToken" && { "x-auth-token": agentToken }),
    };
    const json = bodies[key] ?? sent.json;
    return [key, await gateway.send(`${method} ${paths[key] ?? path}`, { headers, json })];
  };
  const isLast = (operation: Operation) => nameOf(operation) === "DELETE /room/bulk/";
  const first = await Promise.all(operations.filter((operation) => !isLast(operation)).map(send));
  const last = await Promise.all(operations.filter(isLast).map(send));
  return new Map([...first, ...last]);
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
    const withoutRetryAfter = [...responses].filter(
      ([, { status, headers }]) => status === 503 && !headers["retry-after"],
    );
    expect(withoutRetryAfter).toEqual([]);
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
