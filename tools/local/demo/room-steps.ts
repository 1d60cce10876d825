/** The demonstration's steps with rooms: create, read, change, list. */
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { encodeServiceTag } from "../../../client/src/service-tag.ts";
import { createWidgetClient } from "../../../client/src/widget.ts";
import { identities } from "../stack/identities.ts";
import type { DemoContext } from "./demo-context.ts";
import { createPrintingFetch } from "./printing-fetch.ts";
import {
  constrainedShape,
  createdShape,
  fullShape,
  publicShape,
  validationErrorShape,
} from "./specified-shapes.ts";

export interface DemoRoom {
  readonly name: string;
  readonly guestPin: string;
  readonly tag: string;
}

/** Takes three rooms from the pool, each with a different service tag. Throws if there is none. */
export async function createRooms(demo: DemoContext): Promise<[DemoRoom, DemoRoom, DemoRoom]> {
  const { report, client, send } = demo;
  report.step("Create three rooms, which takes them from the pool");
  const tagOf = (session: string): string => `https://verify.example.com/sessions/${session}`;
  const check = (tag: string, body: unknown): DemoRoom => {
    const created = createdShape.safeParse(body);
    report.check("200 in the constrained shape, without the host PIN", created.success, body);
    const room = createdShape.parse(body);
    report.check("the tag is the decoded uuiData", room.tag === tag, room.tag);
    report.check("the alias equals the name", room.aliases[0]?.alias === room.name, room.aliases);
    return { name: room.name, guestPin: room.guest_pin, tag };
  };
  const create = async (tag: string) => check(tag, await client.createRoom({ serviceTag: tag }));
  const first = await create(tagOf("demo-1"));
  const second = await create(tagOf("demo-2"));
  const old = await send("POST", `/room/create/old?uuiData=${encodeServiceTag(tagOf("demo-3"))}`);
  const third = check(tagOf("demo-3"), old.json);
  const names = new Set([first.name, second.name, third.name]);
  report.check("the three rooms are different", names.size === 3, [...names]);
  const refused = await send("POST", "/room/create?uuiData=not-hexadecimal");
  report.check(
    "invalid uuiData: 422 with a validation error",
    refused.status === 422 && validationErrorShape.safeParse(refused.json).success,
    refused.json,
  );
  return [first, second, third];
}

/** Reads a room in both shapes. */
export async function readRoom(demo: DemoContext, room: DemoRoom): Promise<void> {
  const { report, client, checkEmpty, send } = demo;
  report.step("Read a room in both shapes");
  const short = await client.getRoom(room.name);
  const constrained = constrainedShape.safeParse(short);
  report.check("200 in the constrained shape", constrained.success, short);
  const { guest_pin, tag } = short;
  const expected = { guest_pin: room.guestPin, tag: room.tag };
  report.check(
    "PIN and tag are the same as after create",
    isDeepStrictEqual({ guest_pin, tag }, expected),
    short,
  );
  const full = await client.getFullRoom(room.name);
  const isFull = fullShape.safeParse(full).success && "participant_limit" in full;
  report.check("200 in the full shape", isFull, full);
  await send("GET", "/room/there-is-no-such-room");
  checkEmpty("an unknown room: 404 without a body", 404);
}

/** Reads a room as an agent's desktop does. */
export async function readAsAgent(demo: DemoContext, room: DemoRoom): Promise<void> {
  const { report, send, connection } = demo;
  report.step("Read the room as an agent's desktop does");
  const widget = createWidgetClient({
    baseUrl: connection.gatewayUrl,
    getToken: () => identities.agentToken,
    fetch: createPrintingFetch(report),
  });
  const seen = await widget.getRoom(room.name);
  const isPublic = publicShape.safeParse(seen).success;
  report.check("200 in the constrained shape, without the host PIN", isPublic, seen);
  const path = `/public/room/${encodeURIComponent(room.name)}`;
  const anonymous = await send("GET", path, { headers: {} });
  report.check("no token: 401", anonymous.status === 401, anonymous.status);
  const foreign = await send("GET", path, { headers: { "x-auth-token": identities.otherAgentToken } });
  report.check("a user of another division: 403", foreign.status === 403, foreign.status);
}

/** Changes a room and reads it back. */
export async function changeRoom({ report, client, checkEmpty }: DemoContext, room: DemoRoom): Promise<void> {
  report.step("Change the room");
  const change = { participant_limit: 4, description: "Changed by the demonstration" };
  await client.updateRoom(room.name, change);
  checkEmpty("202 without a body", 202);
  const { participant_limit, description } = await client.getFullRoom(room.name);
  const seen = { participant_limit, description };
  report.check("the platform has the new values", isDeepStrictEqual(seen, change), seen);
}

/** Lists all rooms and finds the three of this demonstration. */
export async function listRooms(demo: DemoContext, rooms: readonly DemoRoom[]): Promise<void> {
  const { report, client, send } = demo;
  report.step("List all rooms");
  const listed = await client.listRooms();
  const isConstrained = z.array(constrainedShape).safeParse(listed).success;
  report.check("200, an array in the constrained shape", isConstrained, listed);
  const names = new Set(listed.map(({ name }) => name));
  report.check(
    `the three rooms are among the ${names.size} listed`,
    rooms.every(({ name }) => names.has(name)),
  );
  const anonymous = await send("GET", "/room/list", { headers: {} });
  report.check("no token: 401", anonymous.status === 401, anonymous.status);
}
