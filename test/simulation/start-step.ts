/** Starts one step of a history: a call, a platform event, a change by an operator, a crash or an outage. */
import { createSeededRandom } from "../../tools/simulators/process/seeded-random.ts";
import { createRoom, deleteAllRooms, deliverEnds, type RequestParts, request } from "./callers.ts";
import type { Command, Step, Target } from "./history.ts";
import type { Plan } from "./processes.ts";
import { tagHost, type World } from "./world.ts";

/** Starts a step without waiting for its end. */
export function startStep(world: World, { command, process, faults, seed }: Step): void {
  const plan: Plan = { faults, random: createSeededRandom(seed) };
  const { platform, clock, outages } = world;
  const room = (target: Target) => nameOf(world, target);
  const send = (name: string, parts: RequestParts) => {
    void request(world, process, name, parts, plan);
  };
  switch (command.kind) {
    case "create":
      return createRoom(world, command, process, plan);
    case "read":
      return send(command.isPublic ? "getPublicRoom" : "getRoom", {
        roomName: room(command.target),
        query: { constrained_attributes: String(!command.isFull) },
      });
    case "list":
      return send("listRooms", { query: { constrained_attributes: String(!command.isFull) } });
    case "update":
      return send("updateRoom", { roomName: room(command.target), body: changeOf(command.field, world) });
    case "delete":
      return send("deleteRoom", { roomName: room(command.target) });
    case "event":
      return sendEnds(world, command.targets.map(room), command, process, plan);
    case "unusable-event":
      return send("eventSink", { body: unusableEvents[command.index] });
    case "conference-start":
      if (platform.find(room(command.target))) platform.startConference(room(command.target));
      return;
    case "conference-end":
      if (platform.endConference(room(command.target)))
        sendEnds(world, [room(command.target)], { copies: 1, delaySeconds: 0 }, process, plan);
      return;
    case "garbage":
      void world.process(process).runTimer("collectGarbage", plan);
      return;
    case "metrics":
      void world.process(process).runTimer("collectMetrics", plan);
      return;
    case "bulk-delete":
      void deleteAllRooms(world, process, plan);
      return;
    case "bulk-create":
      return send("bulkCreateRooms", {
        query: command.level === undefined ? {} : { max_vmr: String(command.level) },
      });
    case "health":
      return send("healthCheck", {});
    case "direct":
      return changeDirectly(world, room(command.target), command.change);
    case "add":
      platform.add(newRoomOf(command.of, Number(world.newId().slice(3))));
      return;
    case "crash":
      return world.process(process).kill();
    case "outage":
      outages.set(command.on, { fault: command.fault, until: clock.now() + command.seconds * 1000 });
  }
}

function changeOf(field: "description" | "tag" | "name", world: World): Record<string, string> {
  const number = world.newId();
  return { [field]: field === "tag" ? `https://${tagHost}/changed/${number}` : `changed ${number}` };
}

function sendEnds(
  world: World,
  names: readonly string[],
  { copies, delaySeconds }: { copies: number; delaySeconds: number },
  process: number,
  plan: Plan,
): void {
  void deliverEnds(world, names, process, plan);
  for (const other of world.gateways)
    if (other !== world) void deliverEnds(other, names, process, other.planWithoutFaults());
  for (let copy = 1; copy < copies; copy++) {
    world.clock.after(
      delaySeconds * 1000,
      () => void deliverEnds(world, names, 1 - process, world.planWithoutFaults()),
    );
  }
}

function changeDirectly(
  { platform, ledger, newId }: World,
  name: string,
  change: Extract<Command, { kind: "direct" }>["change"],
): void {
  const room = platform.find(name);
  if (!room) return;
  ledger.changedByOperator.add(name);
  if (change === "remove") {
    platform.remove(room);
    ledger.removed.add(name);
  } else if (change === "describe") {
    platform.change(room, { description: `described ${newId()}` });
  } else {
    platform.change(room, { tag: `https://${tagHost}/direct/${newId()}` });
    ledger.tagWriters.set(name, "other");
  }
}

const unusableEvents: readonly unknown[] = [
  { event: "conference_started", data: { name: "unknown-name" } },
  { event: "conference_ended", data: {} },
  { event: "conference_ended" },
  { event: "conference_ended", data: { name: "\u0000" } },
  { event: "eventsink_bulk", data: [null, 7, { event: "participant_connected" }] },
  { event: "conference_ended", data: { name: "unknown-name", service_type: "gateway" } },
];

/** Returns the name of the target room, or an unknown name if there is no such room. */
function nameOf({ ledger, queues, platform }: World, { of, index }: Target): string {
  const names = {
    "handed-out": () => [...ledger.handedOut.keys()],
    // A name is pooled before its room exists. Without a room there is nothing to end or change.
    pooled: () => queues.pool.contents().flatMap(({ text }) => (platform.find(text) ? [text] : [])),
    persistent: () => namesWith("persistent"),
    foreign: () => namesWith("foreign"),
    plain: () => namesWith("plain"),
    unknown: () => [],
  }[of]();
  return names.at(-1 - (index % Math.max(1, names.length))) ?? "unknown-name";

  function namesWith(word: string): string[] {
    return platform.rooms().flatMap(({ name }) => (name.includes(word) ? [name] : []));
  }
}

/**
 * Returns the fields of an operator's room. A `persistent` one has a protected name and sometimes the copied marker of a
 * pooled room. A `foreign` one has another alias or service type. A `plain` one looks like a gateway room without marker.
 */
export function newRoomOf(of: "persistent" | "foreign" | "plain", number: number): Record<string, unknown> {
  const prefix = ["test_", "vkiosk_"][number % 2] ?? "test_";
  const name = of === "persistent" ? `${prefix}persistent-${number}` : `${of}-${number}`;
  const isCopy = of === "persistent" && number % 3 > 0;
  const isOtherService = of === "foreign" && number % 2 === 0;
  return {
    name,
    service_type: isOtherService ? "test_call" : "conference",
    description: isCopy ? "vmr-gateway vmr-gateway pooled 2029-12-31T23:00:00.000Z" : "made by an operator",
    tag: "",
    pin: "",
    allow_guests: false,
    guest_pin: "",
    aliases: [{ alias: of === "foreign" ? `alias-of-${name}` : name }],
  };
}
