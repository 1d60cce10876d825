/** `ops redrive` on queues in memory. */
import { expect, test } from "vitest";
import { createManualClock } from "../../simulators/memory/clock.ts";
import { createMemoryQueue } from "../../simulators/memory/queue.ts";
import { count } from "../../terminal/format.ts";
import { memoryTarget } from "./memory-target.ts";
import { ops } from "./run-ops.ts";

const claimed = '{"reason":"claimed"}';
const bulk = '{"reason":"bulk","upTo":6}';
const other = "not a request";

/** Creates a poison queue with these messages, of which another run has leased the first ones. */
async function gatewayWith(texts: readonly string[], leased = 0) {
  const clock = createManualClock();
  const [poison, provisioning] = [createMemoryQueue(clock), createMemoryQueue(clock)];
  for (const text of texts) await poison.put(text);
  if (leased > 0) await poison.receive(leased, 60);
  const target = memoryTarget({ clock, queues: { ...memoryTarget().queues, poison, provisioning } });
  const redrive = async (options = "") =>
    ops(`redrive ${options}`.trim().split(" "), { connect: async () => target });
  return {
    clock,
    poison,
    provisioning,
    redrive,
    left: () => [poison, provisioning].map((queue) => queue.texts()),
  };
}

const { maxRooms } = memoryTarget().settings.pool;
const moved = JSON.stringify({ reason: "bulk", upTo: maxRooms });
const remains = "1 message left that cannot be read as a request. --drop-unreadable deletes such messages.";
const leased = "1 message leased by another run. Run the command again in a minute.";

const would =
  "Would move 1 request back to the provisioning queue. Do it with --yes. 1 cannot be read as a request.";
const dropped = "1 request moved. 1 unreadable message deleted.";

test.each<[string[], number, string, number, string[], string[][]]>([
  [[], 0, "", 0, [], [[], []]],
  [[claimed, other], 0, "", 1, [would], [[claimed, other], []]],
  [[claimed, bulk, other], 0, "--yes", 1, ["2 requests moved.", remains], [[other], [moved, moved]]],
  [[other, claimed], 0, "--yes --drop-unreadable", 0, [dropped], [[], [moved]]],
  [[claimed], 1, "--yes", 1, ["0 requests moved.", leased], [[claimed], []]],
  [[bulk, claimed, other], 1, "--yes", 1, ["1 request moved.", remains, leased], [[bulk, other], [moved]]],
])("Of %j, %i of them leased, redrive %s: %i", async (texts, held, options, code, lines, left) => {
  const gateway = await gatewayWith(texts, held);
  const { exitCode, output } = await gateway.redrive(options);
  const depth = `${count(texts.length, "message")} in the poison queue.`;
  expect([exitCode, output.split("\n").slice(0, -1)]).toEqual([code, [depth, ...lines]]);
  expect(gateway.left()).toEqual(left);
  // The next run need not wait for what this one has read.
  expect(await gateway.poison.receive(32, 1)).toHaveLength((left[0]?.length ?? 0) - held);
});

test("Prints its counts as JSON with --json", async () => {
  const { redrive } = await gatewayWith([claimed, bulk, other]);
  const counts = { depth: 3, requests: 2, dropped: 0, unreadable: 1 };
  expect(JSON.parse((await redrive("--json")).output)).toEqual({ isDryRun: true, ...counts, left: 3 });
  expect(JSON.parse((await redrive("--json --yes")).output)).toEqual({ isDryRun: false, ...counts, left: 1 });
});

test.each([
  ["provisioning", "put", 1, 3, [[claimed, claimed], []], /^The storage account /m],
  ["poison", "delete", 2, 1, [[claimed, claimed], [moved]], /a message could not be deleted from the poison/],
] as const)("Loses no request if %s fails at %s", async (port, operation, times, code, left, says) => {
  const gateway = await gatewayWith([claimed, claimed]);
  for (let time = 0; time < times; time++) gateway[port].strikeNext(operation, { failure: "unknown" });
  const { exitCode, remarks } = await gateway.redrive("--yes");
  expect([exitCode, gateway.left()]).toEqual([code, left]);
  expect(remarks).toMatch(says);
});

test("Ends even if a message becomes visible again while it receives", async () => {
  const { clock, poison, redrive } = await gatewayWith([other, other, other]);
  poison.strikeNext("receive", {});
  poison.strikeNext("receive", { meanwhile: () => clock.advance(61) });
  expect((await redrive("--yes")).exitCode).toBe(1);
  expect(poison.calls.filter((operation) => operation === "receive").length).toBeLessThan(5);
});
