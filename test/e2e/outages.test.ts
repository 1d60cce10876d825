/** What answers when something is down: each in turn and all together, as the table in the operations guide says. */
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { identities } from "../../local/gateway/identities.ts";
import { asEventSink } from "../support/credentials.ts";
import type { Answer } from "../support/http-client.ts";
import { documentedAnswers } from "../support/outage-table.ts";
import { type RunningGateway, startRunningGateway } from "../support/running-gateway.ts";
import { type StorageProxy, startStorageProxy } from "../support/storage-proxy.ts";

interface Situation {
  readonly gateway: () => RunningGateway;
  readonly begin: () => void | Promise<void>;
  readonly end: () => void | Promise<void>;
}

const proxies: StorageProxy[] = [];
const [queueProxy, contactCentreProxy, logProxy] = [0, 1, 2].map((at) => () => {
  const proxy = proxies[at];
  if (!proxy) throw new Error("the proxies are not started");
  return proxy;
}) as [() => StorageProxy, () => StorageProxy, () => StorageProxy];

let gateway: RunningGateway;
let newGateway: RunningGateway;
beforeAll(async () => {
  [gateway, newGateway] = await Promise.all([
    startRunningGateway({ settings: throughProxies }),
    startRunningGateway(),
  ]);
  gateway.addRoom("a-room");
  const { status } = await gateway.sendAsApplication("GET /room/a-room");
  if (status !== 200) throw new Error(`the keys could not be fetched: ${status}`);
});
afterAll(async () => {
  await Promise.all([gateway.stop(), newGateway.stop()]);
  await Promise.all(proxies.map(async (proxy) => proxy.stop()));
});

async function throughProxies(defaults: Record<string, string>): Promise<Record<string, string>> {
  const { AzureWebJobsStorage = "", CONTACT_CENTRE_API_URL = "", LOGS_INGESTION_ENDPOINT = "" } = defaults;
  const queueUrl = /QueueEndpoint=([^;]+)/.exec(AzureWebJobsStorage)?.[1] ?? "";
  for (const url of [queueUrl, CONTACT_CENTRE_API_URL, LOGS_INGESTION_ENDPOINT])
    proxies.push(await startStorageProxy(url));
  return {
    AzureWebJobsStorage: AzureWebJobsStorage.replace(queueUrl, queueProxy().url),
    CONTACT_CENTRE_API_URL: contactCentreProxy().url,
    LOGS_INGESTION_ENDPOINT: logProxy().url,
  };
}

const down = (proxy: () => StorageProxy): Situation => ({
  gateway: () => gateway,
  begin: () => proxy().setDown(true),
  end: () => proxy().setDown(false),
});
const identityDown = (of: () => RunningGateway): Situation => ({
  gateway: of,
  begin: () => of().stack.issuer.setDown(true),
  end: () => of().stack.issuer.setDown(false),
});
const platformDown: Situation = {
  gateway: () => gateway,
  begin: async () => gateway.stack.platform.goDown("refuse"),
  end: async () => gateway.stack.platform.goUp(),
};

const single: Record<string, Situation> = {
  "Identity provider": identityDown(() => gateway),
  "Identity provider, no key fetched yet": identityDown(() => newGateway),
  "Contact centre": down(contactCentreProxy),
  Platform: platformDown,
  Storage: down(queueProxy),
  "Log workspace": down(logProxy),
};
const together = Object.values(single).filter(
  (situation) => situation !== single["Identity provider, no key fetched yet"],
);
const situations: Record<string, Situation> = {
  ...single,
  All: {
    gateway: () => gateway,
    begin: async () => void (await Promise.all(together.map(async ({ begin }) => begin()))),
    end: async () => void (await Promise.all(together.map(async ({ end }) => end()))),
  },
};

/** One right request of each operation, all at once; bulk delete last, as it takes the rooms away. */
async function answersOf(of: RunningGateway, situation: string): Promise<Record<string, Answer>> {
  const agentToken = `agent-while-${situation.replaceAll(/[ ,]/g, "-")}-is-down`;
  const { divisionId } = identities;
  const agent = {
    token: agentToken,
    divisionId,
    divisionName: "x",
    id: "x",
    name: "An agent",
    state: "active" as const,
  };
  of.stack.contactCentre.setUsers([agent]);
  for (const name of ["a-room", "b-room", "c-room"]) of.addRoom(name);
  for (const name of ["pooled-1", "pooled-2"]) await of.queues.pool.put(of.addRoom(name));
  await situations[situation]?.begin();
  const event = { event: "conference_ended", data: { name: "c-room" } };
  const requests: Record<string, Promise<Answer>> = {
    "POST /room/create": of.sendAsApplication("POST /room/create"),
    "POST /room/create/old": of.sendAsApplication("POST /room/create/old"),
    "GET /room/list": of.sendAsApplication("GET /room/list"),
    "GET /room/{room_name}": of.sendAsApplication("GET /room/a-room"),
    "PATCH /room/{room_name}": of.sendAsApplication("PATCH /room/a-room", { json: { participant_limit: 5 } }),
    "DELETE /room/{room_name}": of.sendAsApplication("DELETE /room/b-room"),
    "POST /room/bulk/": of.sendAsApplication("POST /room/bulk/?max_vmr=1"),
    "GET /public/room/{room_name}": of.send("GET /public/room/a-room", {
      headers: { "x-auth-token": agentToken },
    }),
    "POST /public/event_sink": of.send("POST /public/event_sink", { headers: asEventSink(), json: event }),
    "GET /public/health": of.send("GET /public/health"),
  };
  const answers = await Promise.all(
    Object.entries(requests).map(async ([name, answer]) => [name, await answer] as const),
  );
  const last = ["DELETE /room/bulk/", await of.sendAsApplication("DELETE /room/bulk/")] as const;
  return Object.fromEntries([...answers, last]);
}

const documented = documentedAnswers();

test("the table has every operation and every situation", () => {
  expect(Object.keys(documented)).toHaveLength(11);
  for (const row of Object.values(documented)) expect(Object.keys(row)).toEqual(Object.keys(situations));
});

test.each(Object.keys(situations))("down: %s", async (situation) => {
  const of = situations[situation]?.gateway() ?? gateway;
  await Promise.all([of.queues.pool.clear(), of.queues.provisioning.clear()]);
  of.stack.platform.reset();
  onTestFinished(async () => situations[situation]?.end());
  const answers = await answersOf(of, situation);
  const seen = Object.fromEntries(
    Object.entries(answers).map(([operation, { status }]) => [operation, status]),
  );
  const expected = Object.fromEntries(
    Object.entries(documented).map(([operation, row]) => [operation, row[situation]]),
  );
  expect(seen).toEqual(expected);
  const silent = Object.entries(answers).filter(
    ([, { status, headers }]) => status === 503 && !headers["retry-after"],
  );
  expect(silent).toEqual([]);
});

test("afterwards everything answers again", async () => {
  gateway.stack.platform.reset();
  await gateway.queues.pool.put(gateway.addRoom("a-room"));
  expect(await gateway.sendAsApplication("POST /room/create")).toMatchObject({ status: 200 });
  expect(await gateway.sendAsApplication("GET /room/list")).toMatchObject({ status: 200 });
});
