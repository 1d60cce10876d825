/** `ops rooms` and `ops room`: the gateway's rooms by state, and the life of one of them. */
import { Option } from "@commander-js/extra-typings";
import { isOfOtherGateway } from "../../../src/lib/ownership/room.ts";
import { nameLike } from "../../terminal/create-command.ts";
import { age, count, table } from "../../terminal/format.ts";
import type { LogLine } from "../gateway/log.ts";
import { requirePlatform } from "../gateway/target.ts";
import type { Context, Operator } from "../operator-program.ts";
import type { Outcome } from "../outcomes.ts";
import {
  describeOthers,
  type RoomView,
  readAllRooms,
  roomStates,
  tableOf,
  viewRoom,
} from "../pool/room-views.ts";
import { causeOf } from "../status/log-history.ts";

export function addRooms({ command, run }: Operator): void {
  command(
    "rooms",
    "lists the gateway's rooms by state",
    "A room is `waiting` for its deletion if a command took it out of the pool. A room is the gateway's if its marker has " +
      "the gateway's name.",
  )
    .addOption(new Option("--state <state>", "Lists only rooms in this state.").choices(roomStates))
    .option(
      "--gateway <name>",
      "Lists those of another gateway: docs/operations.md#rooms-of-another-gateway.",
      nameLike(/^[^-]/),
    )
    .action(run(listRooms));
}

const stateNames: Readonly<Record<RoomView["state"], string>> = {
  pooled: "pooled",
  assigned: "assigned",
  live: "live",
  waiting: "waiting for deletion",
};

interface ListOptions {
  readonly state?: RoomView["state"];
  readonly gateway?: string;
}

async function listRooms({ state: wanted, gateway }: ListOptions, context: Context): Promise<Outcome> {
  const { connect, terminal, conclude } = context;
  const target = requirePlatform(await connect());
  const gatewayName = gateway ?? target.settings.rooms.gatewayName;
  const ofAnyGateway = await readAllRooms(target.platform);
  const all = ofAnyGateway.filter(({ marker }) => marker.gateway === gatewayName);
  const shown = all.filter(({ state }) => wanted === undefined || state === wanted);
  const amountOf = (state: RoomView["state"]) => all.filter((room) => room.state === state).length;
  const counts = roomStates.map((state) => `${amountOf(state)} ${stateNames[state]}`);
  terminal.print(`${count(all.length, "room")}: ${counts.join(", ")}`);
  const markers = ofAnyGateway.map(({ marker }) => marker);
  const others = describeOthers(markers, gatewayName);
  if (others !== undefined) terminal.print(`Not listed: ${others}.`);
  if (shown.length === 0) return wanted ? conclude("ok", `None is ${stateNames[wanted]}.`) : "ok";
  return conclude("ok", ["", ...tableOf(shown, target.clock.now())].join("\n"));
}

export function addRoom({ command, run }: Operator): void {
  command(
    "room",
    "shows the life of one room, from its provisioning to its deletion",
    "CORRELATION leads to the whole request: filter the log by it (docs/operations.md, Following one room).",
  )
    .argument("<NAME>", "The room's name.", nameLike(/./))
    .action(async (name, options) => run(showRoom)({ ...options, name }));
}

const loggedDays = 30;

async function showRoom({ name }: { name: string }, { connect, terminal }: Context): Promise<Outcome> {
  const { log, platform, settings, clock } = await connect();
  const lines = await log.lines({ hours: 24 * loggedDays, room: name });
  const outcome = lines.length > 0 ? "ok" : "finding";
  const none = `The log of the last ${loggedDays} days has no line about ${name}. Check the name.`;
  const rows = table([["TIME (UTC)", "EVENT", "CALLER", "CORRELATION"], ...lines.map(eventOf)]);
  terminal.print(lines.length > 0 ? rows.join("\n") : none);
  if (!platform) return outcome;
  const found = await platform.conferences.findByName(name);
  const isLive = found !== undefined && (await platform.status.isLive(name));
  const view = found && viewRoom(found, isLive);
  terminal.print(describeNow(found !== undefined, view, isLive, clock.now()));
  if (found && isOfOtherGateway(found, settings.rooms.gatewayName))
    terminal.print(`It belongs to the gateway ${view?.marker.gateway}, so this gateway leaves it alone.`);
  return outcome;
}

function eventOf({ time, fields }: LogLine): string[] {
  const field = (name: string): string => {
    const value = fields[name];
    return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  };
  const reason = field("event").endsWith("-failed") ? causeOf({ time, fields }) : field("reason");
  const event = reason === "" ? field("event") : `${field("event")} (${reason})`;
  const caller = field("operator") || field("caller");
  return [time.slice(0, 23).replace("T", " "), event, caller, field("correlationId")];
}

function describeNow(exists: boolean, view: RoomView | undefined, isLive: boolean, now: number): string {
  if (!exists) return "Now: the platform has no room of this name.";
  if (!view) return "Now: it is on the platform, without a gateway's marker.";
  const conference = `${isLive ? "with" : "without"} a live conference`;
  const state = view.state === "waiting" ? stateNames.waiting : view.marker.state;
  return `Now: ${state} for ${age(view.marker.since, now)}, ${conference}.`;
}
