/** Starts one step of a history: a call, a platform event, a change by an operator, a crash or an outage. */
import type { MemoryRequest } from "../../tools/simulators/memory/gateway.ts";
import { createSeededRandom } from "../../tools/simulators/memory/seeded-random.ts";
import { formatMarker } from "../support/markers.ts";
import { createRoom, deleteAllRooms, deliverEnds, request } from "./callers.ts";
import type { Step, Target } from "./history.ts";
import type { Plan } from "./processes.ts";
import { tagHost, type World } from "./world.ts";

/** Starts a step without waiting for its end. */
export function startStep(world: World, { command, process, faults, seed }: Step): void {
  const plan: Plan = { faults, random: createSeededRandom(seed) };
  const { platform, clock, outages } = world;
  const room = (target: Target) => nameOf(world, target);
  const send = (name: string, parts: MemoryRequest) => {
    void request(world, process, name, parts, plan);
  };
  switch (command.kind) {
    case "create":
      return createRoom(world, command, process, plan);
    case "update":
      return send("updateRoom", { roomName: room(command.target), json: changeOf(command.field, world) });
    case "delete":
      return send("deleteRoom", { roomName: room(command.target) });
    case "event":
      void deliverEnds(world, command.targets.map(room), process, plan);
      return;
    case "conference-start":
      if (platform.find(room(command.target))) platform.startConference(room(command.target));
      return;
    case "conference-end":
      if (platform.endConference(room(command.target)))
        void deliverEnds(world, [room(command.target)], process, plan);
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
    case "remove":
      return removeByHand(world, room(command.target));
    case "add":
      platform.add(newRoomOf(command.of, world.newNumber()));
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

function removeByHand({ platform, ledger }: World, name: string): void {
  const room = platform.find(name);
  if (!room) return;
  platform.remove(room);
  ledger.removed.add(name);
}

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
 * Returns the fields of an operator's room. A `persistent` one has a protected name and sometimes the copied marker of
 * a pooled room. A `foreign` one has another alias, another service type or another gateway's marker. A `plain` one
 * looks like a gateway room without marker.
 */
export function newRoomOf(of: "persistent" | "foreign" | "plain", number: number): Record<string, unknown> {
  const isPersistent = of === "persistent";
  const prefix = isPersistent ? ["test_", "vkiosk_"][number % 2] : "";
  const name = `${prefix}${of}-${number}`;
  const room = {
    name,
    service_type: "conference",
    description: "made by an operator",
    tag: "",
    pin: "",
    allow_guests: false,
    guest_pin: "",
    aliases: [{ alias: name }],
  };
  const marker = { state: "pooled", since: "2029-12-31T23:00:00.000Z" } as const;
  if (isPersistent && number % 3 > 0) return { ...room, description: formatMarker(marker) };
  if (of !== "foreign") return room;
  const differences = [
    { aliases: [{ alias: `alias-of-${name}` }] },
    { service_type: "test_call" },
    { description: formatMarker({ ...marker, gateway: "production", state: "assigned" }) },
  ];
  return { ...room, ...differences[number % 3] };
}
