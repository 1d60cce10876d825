/** Outages of each dependency and of all together, compared with the table in docs/operations.md. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { Received } from "../../tools/simulators/exchange.ts";
import { identities } from "../../tools/simulators/identities.ts";
import { nameOf, type Operation, operations, validRequest } from "../support/api-operations.ts";
import { tableBelow, unquoted } from "../support/markdown-table.ts";
import { type RunningGateway, useRunningGateway } from "../support/running-gateway.ts";
import { type StorageProxy, startStorageProxy } from "../support/storage-proxy.ts";

interface Situation {
  /** What cannot be used, in the words of the table. */
  readonly missing: readonly string[];
  readonly gateway: RunningGateway;
  readonly begin: () => void | Promise<void>;
  readonly end: () => void | Promise<void>;
}

const proxies = new Map<string, StorageProxy>();
afterAll(async () => {
  await Promise.all([...proxies.values()].map(async (proxy) => proxy.stop()));
});
const gateway = useRunningGateway({ settings: throughProxies });
/** Cannot fetch the keys when it starts. */
const newGateway = useRunningGateway({ beforeStart: (stack) => stack.issuer.setDown(true) });
beforeAll(async () => {
  gateway.addRoom("a-room");
  const { status } = await gateway.sendAsApplication("GET /room/a-room");
  if (status !== 200) throw new Error(`the keys could not be fetched: ${status}`);
});

async function throughProxies(defaults: Record<string, string>): Promise<Record<string, string>> {
  const { AzureWebJobsStorage = "", CONTACT_CENTRE_API_URL = "", LOGS_INGESTION_ENDPOINT = "" } = defaults;
  const start = async (name: string, target: string): Promise<string> => {
    const proxy = await startStorageProxy(target);
    proxies.set(name, proxy);
    return proxy.url;
  };
  const queueUrl = /QueueEndpoint=([^;]+)/.exec(AzureWebJobsStorage)?.[1] ?? "";
  return {
    AzureWebJobsStorage: AzureWebJobsStorage.replace(queueUrl, await start("queues", queueUrl)),
    CONTACT_CENTRE_API_URL: await start("contact centre", CONTACT_CENTRE_API_URL),
    LOGS_INGESTION_ENDPOINT: await start("log workspace", LOGS_INGESTION_ENDPOINT),
  };
}

const proxyDown = (name: string, ...missing: string[]): Situation => ({
  missing,
  gateway,
  begin: () => proxies.get(name)?.setDown(true),
  end: () => proxies.get(name)?.setDown(false),
});
const identityDown = (of: RunningGateway, ...missing: string[]): Situation => ({
  missing,
  gateway: of,
  begin: () => of.stack.issuer.setDown(true),
  end: () => of.stack.issuer.setDown(false),
});
const single: Readonly<Record<string, Situation>> = {
  "Identity provider": identityDown(gateway),
  "Identity provider, no key fetched yet": identityDown(newGateway, "signing keys"),
  "Contact centre": proxyDown("contact centre", "contact centre"),
  Platform: {
    missing: ["platform"],
    gateway,
    begin: async () => gateway.stack.platform.goDown("refuse"),
    end: async () => gateway.stack.platform.goUp(),
  },
  Storage: proxyDown("queues", "storage"),
  "Log workspace": proxyDown("log workspace"),
};
const together = Object.values(single).filter((situation) => situation.gateway === gateway);
const situations: Readonly<Record<string, Situation>> = {
  ...single,
  All: {
    missing: together.flatMap(({ missing }) => missing),
    gateway,
    begin: async () => void (await Promise.all(together.map(async ({ begin }) => begin()))),
    end: async () => void (await Promise.all(together.map(async ({ end }) => end()))),
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
async function responsesDuring(
  name: string,
  { gateway: of, begin }: Situation,
): Promise<Map<string, Received>> {
  // The verdict on another situation's agent token may be cached.
  const agentToken = `agent-while-${name.replaceAll(/[ ,]/g, "-")}-is-down`;
  const { divisionId } = identities;
  const agent = { divisionId, divisionName: "x", id: "x", name: "An agent", state: "active" as const };
  of.stack.contactCentre.setUsers([{ ...agent, token: agentToken }]);
  for (const name of ["a-room", "b-room", "c-room"]) of.addRoom(name);
  for (const name of ["pooled-1", "pooled-2"]) await of.poolRoom(name);
  await begin();
  const send = async (operation: Operation): Promise<[string, Received]> => {
    const key = nameOf(operation);
    const { method, path, sent } = validRequest(operation, of.bearerToken());
    const headers = {
      ...sent.headers,
      ...(operation.security === "agentToken" && { "x-auth-token": agentToken }),
    };
    const json = bodies[key] ?? sent.json;
    return [key, await of.send(`${method} ${paths[key] ?? path}`, { headers, json })];
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
    const { gateway: of, end, missing } = situation;
    await Promise.all([of.queues.pool.clear(), of.queues.provisioning.clear()]);
    of.stack.platform.reset();
    onTestFinished(async () => end());
    const responses = await responsesDuring(name, situation);
    const seen = Object.fromEntries([...responses].map(([operation, { status }]) => [operation, status]));
    const expected = operations.map((operation) => {
      const isStopped = needed[nameOf(operation)]?.some((need) => missing.includes(need));
      return [nameOf(operation), isStopped ? 503 : operation.successStatus];
    });
    expect(seen).toEqual(Object.fromEntries(expected));
    const withoutRetryAfter = [...responses].filter(
      ([, { status, headers }]) => status === 503 && !headers["retry-after"],
    );
    expect(withoutRetryAfter).toEqual([]);
  },
);

test("The gateway works again after all outages", async () => {
  gateway.stack.platform.reset();
  await gateway.poolRoom("a-room");
  expect(await gateway.sendAsApplication("POST /room/create")).toMatchObject({ status: 200 });
  expect(await gateway.sendAsApplication("GET /room/list")).toMatchObject({ status: 200 });
});

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
