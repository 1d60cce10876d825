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
  const poison = createMemoryQueue(clock);
  const provisioning = createMemoryQueue(clock);
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
const stays = "1 message cannot be read as a request, and stays.";
const leased = "1 message leased by another run. Run the command again in a minute.";

const would = "Would move 1 request back to the provisioning queue. Do it with --yes.";

interface Row {
  readonly texts: readonly string[];
  /** How many of them another run has leased. */
  readonly held?: number;
  readonly options: string;
  readonly ends: number;
  readonly says: readonly string[];
  /** What is left in the poison queue and in the provisioning queue. */
  readonly left: readonly (readonly string[])[];
}

test.each<Row>([
  { texts: [], options: "", ends: 0, says: [], left: [[], []] },
  { texts: [claimed, other], options: "", ends: 1, says: [would, stays], left: [[claimed, other], []] },
  {
    texts: [claimed, other],
    options: "--yes",
    ends: 1,
    says: ["1 request moved.", stays],
    left: [[other], [moved]],
  },
  {
    texts: [claimed, bulk],
    options: "--yes",
    ends: 0,
    says: ["2 requests moved."],
    left: [[], [moved, moved]],
  },
  {
    texts: [claimed],
    held: 1,
    options: "--yes",
    ends: 1,
    says: ["0 requests moved.", leased],
    left: [[claimed], []],
  },
])("Of $texts, redrive $options moves what it can, and leaves $left", async (row) => {
  const { held = 0 } = row;
  const gateway = await gatewayWith(row.texts, held);
  const { exitCode, output } = await gateway.redrive(row.options);
  const depth = `${count(row.texts.length, "message")} in the poison queue.`;
  expect({ exitCode, lines: output.split("\n").slice(0, -1) }).toEqual({
    exitCode: row.ends,
    lines: [depth, ...row.says],
  });
  expect(gateway.left()).toEqual(row.left);
  // The next run need not wait for what this one has read.
  expect(await gateway.poison.receive(32, 1)).toHaveLength((row.left[0]?.length ?? 0) - held);
});

test("Ends even if a message becomes visible again while it receives", async () => {
  const { clock, poison, redrive } = await gatewayWith([other, other, other]);
  poison.strikeNext("receive", {});
  poison.strikeNext("receive", { meanwhile: () => clock.advance(61) });
  expect((await redrive("--yes")).exitCode).toBe(1);
  expect(poison.calls.filter((operation) => operation === "receive").length).toBeLessThan(5);
});
