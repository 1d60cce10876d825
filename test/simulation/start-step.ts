/** Starts one step of a history: a call, a platform event, a change by an operator, a crash or an outage. */

import { createSeededRandom } from "../../tools/local/process/seeded-random.ts";
import { createRoom, deleteAllRooms, deliverEnds } from "./callers.ts";
import type { Command, Step, Target } from "./history.ts";
import type { Plan } from "./processes.ts";
import { type RequestParts, request } from "./requests.ts";
import { nameOf, newRoomOf } from "./targets.ts";
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
