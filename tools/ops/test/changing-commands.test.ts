/**
 * Every command that changes the gateway, in a world that holds each kind of thing: pooled, leased, handed-out, live,
 * overdue, foreign, unmarked and unaccounted rooms, requests that wait, and requests that the host gave up.
 */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { decodeRoomMessage, parseMarker } from "../../../src/lib/ownership/room.ts";
import type { Queues } from "../../../src/lib/queue.ts";
import { commands } from "../commands/commands.ts";
import { type GatewayInMemory, startGatewayInMemory } from "./gateway-in-memory.ts";
import { ops } from "./run-ops.ts";

/** The arguments with which a command has something to do. A command that is not here is run without arguments. */
const argumentsOf: Readonly<Record<string, readonly string[]>> = {
  shrink: ["2"],
  drain: ["", "--leaked"],
  unmarked: ["tools/ops/test/old-names.txt"],
};

const help = (await ops(["help"])).output;
const headings = commands.filter(({ changesGateway }) => changesGateway).map(({ heading }) => heading);
const names = headings.flatMap((heading) => {
  const [section = ""] = help.split(heading)[1]?.split(/\n\n/) ?? [];
  return [...section.matchAll(/^ {2}([a-z]+) /gm)].map(([, name = ""]) => name);
});
const invocations = names.flatMap((name) =>
  (argumentsOf[name] ?? [""]).map((options) => `${name} ${options}`.trim()),
);

test("The program has commands that change the gateway, and each is tested", () => {
  expect(names).toEqual(expect.arrayContaining(Object.keys(argumentsOf)));
  expect(names).toHaveLength(
    commands.flatMap(({ changesGateway, added }) => (changesGateway ? added : [])).length,
  );
});

async function startWorld(): Promise<GatewayInMemory> {
  const gateway = await startGatewayInMemory({ maxRooms: 9 });
  const { queues, addRooms, platform, faults } = gateway;
  await addRooms(["leased", "pooled-1", "pooled-2", "pooled-3"], { areInPool: true });
  await queues.pool.receive(1, 300);
  await queues.pool.put("without-a-room");
  await addRooms(["in-use", "live"]);
  await addRooms(["overdue-1", "overdue-2", "test_overdue"], { hours: 48 });
  platform.startConference({ name: "live" });
  await addRooms(["foreign"], { gateway: "production", state: "pooled" });
  await addRooms(["lost-1", "lost-2"], { state: "pooled" });
  platform.seedRooms({ rows: ["old-1", "Old/2ä=="].map((name) => ({ name, aliases: [{ alias: name }] })) });
  faults.isProvisioningDisabled = true;
  for (const text of ['{"reason":"claimed"}', '{"reason":"bulk","upTo":6}']) {
    await queues.provisioning.put(text);
    await queues.poison.put(text);
  }
  await queues.poison.put("not a request");
  return gateway;
}

let gateway: GatewayInMemory;
beforeEach(async () => {
  gateway = await startWorld();
});
afterEach(async () => gateway.stop());

/** Everything that a command can change, by place. */
function stateOf({ queues, platform }: GatewayInMemory) {
  const namesIn = (queue: keyof Queues) => queues[queue].texts().map((text) => decodeRoomMessage(text).room);
  return {
    pool: namesIn("pool").toSorted(),
    deletion: [...new Set(namesIn("deletion"))].toSorted(),
    provisioning: queues.provisioning.texts(),
    poison: queues.poison.texts().toSorted(),
    rooms: platform.rooms().map(({ name }) => name),
    markers: platform.rooms().map(({ description }) => parseMarker(description)),
  };
}
type State = ReturnType<typeof stateOf>;

/** Returns how many things differ: one room that moves from one queue to another is one. */
function countDifferences(one: State, other: State): number {
  const places = ["pool", "deletion", "provisioning", "poison", "rooms"] as const;
  const missing = (from: readonly string[], among: readonly string[]) =>
    from.filter((text) => !among.includes(text)).length;
  return Math.max(
    ...places.flatMap((place) => [missing(one[place], other[place]), missing(other[place], one[place])]),
  );
}

function failPlatform(): void {
  for (const method of ["PATCH", "DELETE"]) gateway.platform.addFault({ method, status: 500, count: 1 });
}

/** Runs it until it has nothing left to do: leased names become visible in between. */
async function runToTheEnd(invocation: string): Promise<State> {
  for (let run = 0; run < 3; run++) {
    await gateway.ops(invocation);
    gateway.clock.advance(301);
  }
  return stateOf(gateway);
}

describe.each(invocations)("`ops %s`", (invocation) => {
  const asks = !invocation.startsWith("fill");
  const carriedOut = asks ? `${invocation} --yes` : invocation;

  test("changes nothing without --yes, and loses nothing without asking", async () => {
    const before = stateOf(gateway);
    await gateway.ops(invocation);
    const after = stateOf(gateway);
    expect({ ...after, provisioning: [], poison: [] }).toEqual({ ...before, provisioning: [], poison: [] });
    expect(after.poison).toEqual(asks ? before.poison : []);
    expect(after.provisioning.slice(0, before.provisioning.length)).toEqual(before.provisioning);
    expect(after.provisioning.length > before.provisioning.length).toBe(!asks);
  });

  test("changes one thing more at most when it is interrupted", async () => {
    const stopping = new AbortController();
    let interrupted: State | undefined;
    const onText = (text: string) => {
      if (interrupted || !/^\d+\/\d+ /.test(text)) return;
      interrupted = stateOf(gateway);
      stopping.abort();
    };
    const { exitCode, remarks } = await gateway.ops(carriedOut, { stopping: stopping.signal, onText });
    // A command that shows no progress ends at once.
    expect(exitCode).toBe(interrupted ? 130 : 0);
    expect(remarks.includes("It is safe to run the command again")).toBe(interrupted !== undefined);
    expect(countDifferences(interrupted ?? stateOf(gateway), stateOf(gateway))).toBeLessThanOrEqual(1);
  });

  test("does its work, and nothing when it is run again", async () => {
    const before = stateOf(gateway);
    const done = await runToTheEnd(carriedOut);
    expect(done).not.toEqual(before);
    const messages = () => Object.values(gateway.queues).map((queue) => queue.texts().length);
    const depths = messages();
    await gateway.ops(carriedOut);
    expect(stateOf(gateway)).toEqual(done);
    expect(messages()).toEqual(depths);
  });

  test("leaves nothing half done when a call fails", async () => {
    const done = await runToTheEnd(carriedOut);
    const faults = Object.entries(gateway.queues).flatMap(([name, { calls }]) =>
      [...new Set(calls)]
        .filter((operation) => operation !== "count" && operation !== "peek")
        .map(
          (operation) => (queues: GatewayInMemory["queues"]) =>
            queues[name as keyof Queues].strikeNext(operation, { failure: "unknown" }),
        ),
    );
    for (const strike of [...faults, failPlatform]) {
      await gateway.stop();
      gateway = await startWorld();
      const before = stateOf(gateway);
      strike(gateway.queues);
      await gateway.ops(carriedOut);
      const { pool, deletion } = stateOf(gateway);
      const lost = before.pool.filter(
        (name) => name !== "without-a-room" && ![...pool, ...deletion].includes(name),
      );
      expect(lost).toEqual([]);
      gateway.platform.clearFaults();
      gateway.clock.advance(301);
      // A room whose change had an unknown outcome is given up, whatever its marker says.
      expect({ ...(await runToTheEnd(carriedOut)), markers: [] }).toEqual({ ...done, markers: [] });
    }
  });
});
