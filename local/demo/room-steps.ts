/** The demonstration's steps with rooms: create, read, change, list. */
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { encodeServiceTag } from "../../src/lib/api/service-tag.ts";
import { identities } from "../gateway/identities.ts";
import type { DemoContext } from "./demo-context.ts";
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
export async function createRooms({ report, gateway }: DemoContext): Promise<[DemoRoom, DemoRoom, DemoRoom]> {
  report.step("Create three rooms, which takes them from the pool");
  const create = async (path: string, session: string): Promise<DemoRoom> => {
    const tag = `https://verify.example.com/sessions/${session}`;
    const answer = await gateway("POST", `${path}?uuiData=${encodeServiceTag(tag)}`);
    const created = createdShape.safeParse(answer.json);
    report.check("200 in the constrained shape, without the host PIN", created.success, answer.json);
    const room = createdShape.parse(answer.json);
    report.check("the tag is the decoded uuiData", room.tag === tag, room.tag);
    report.check("the alias equals the name", room.aliases[0]?.alias === room.name, room.aliases);
    return { name: room.name, guestPin: room.guest_pin, tag };
  };
  const first = await create("/room/create", "demo-1");
  const second = await create("/room/create", "demo-2");
  const third = await create("/room/create/old", "demo-3");
  const names = new Set([first.name, second.name, third.name]);
  report.check("the three rooms are different", names.size === 3, [...names]);
  const refused = await gateway("POST", "/room/create?uuiData=not-hexadecimal");
  report.check(
    "invalid uuiData: 422 with a validation error",
    refused.status === 422 && validationErrorShape.safeParse(refused.json).success,
    refused.json,
  );
  return [first, second, third];
}

/** Reads a room in both shapes. */
export async function readRoom({ report, gateway }: DemoContext, room: DemoRoom): Promise<void> {
  report.step("Read a room in both shapes");
  const path = `/room/${encodeURIComponent(room.name)}`;
  const short = await gateway("GET", path);
  const constrained = constrainedShape.safeParse(short.json);
  report.check("200 in the constrained shape", short.status === 200 && constrained.success, short.json);
  const { guest_pin, tag } = constrained.data ?? {};
  const expected = { guest_pin: room.guestPin, tag: room.tag };
  report.check(
    "PIN and tag are the same as after create",
    isDeepStrictEqual({ guest_pin, tag }, expected),
    short.json,
  );
  const full = await gateway("GET", `${path}?constrained_attributes=false`);
  const isFull = full.status === 200 && fullShape.safeParse(full.json).success;
  report.check("200 in the full shape", isFull && full.text.includes('"participant_limit"'), full.json);
  const missing = await gateway("GET", "/room/there-is-no-such-room");
  report.check("an unknown room: 404 without a body", missing.status === 404 && missing.text === "", missing);
}

/** Reads a room as an agent's desktop does. */
export async function readAsAgent({ report, gateway }: DemoContext, room: DemoRoom): Promise<void> {
  report.step("Read the room as an agent's desktop does");
  const path = `/public/room/${encodeURIComponent(room.name)}`;
  const read = async (headers: Record<string, string>) => gateway("GET", path, { headers });
  const answer = await read({ "x-auth-token": identities.agentToken });
  const isPublic = answer.status === 200 && publicShape.safeParse(answer.json).success;
  report.check("200 in the constrained shape, without the host PIN", isPublic, answer.json);
  const anonymous = await read({});
  report.check("no token: 401", anonymous.status === 401, anonymous.status);
  const foreign = await read({ "x-auth-token": identities.otherAgentToken });
  report.check("a user of another division: 403", foreign.status === 403, foreign.status);
}

/** Changes a room and reads it back. */
export async function changeRoom({ report, gateway }: DemoContext, room: DemoRoom): Promise<void> {
  report.step("Change the room");
  const path = `/room/${encodeURIComponent(room.name)}`;
  const change = { participant_limit: 4, description: "Changed by the demonstration" };
  const answer = await gateway("PATCH", path, { body: change });
  report.check("202", answer.status === 202, answer);
  const { json } = await gateway("GET", `${path}?constrained_attributes=false`);
  const { participant_limit, description } = fullShape.parse(json);
  report.check(
    "the platform has the new values",
    isDeepStrictEqual({ participant_limit, description }, change),
    json,
  );
}

/** Lists all rooms and finds the three of this demonstration. */
export async function listRooms({ report, gateway }: DemoContext, rooms: readonly DemoRoom[]): Promise<void> {
  report.step("List all rooms");
  const answer = await gateway("GET", "/room/list", { hides: true });
  const listed = z.array(constrainedShape).safeParse(answer.json);
  report.check(
    "200, an array in the constrained shape",
    answer.status === 200 && listed.success,
    answer.json,
  );
  const names = new Set((listed.data ?? []).map(({ name }) => name));
  report.check(
    `the three rooms are among the ${names.size} listed`,
    rooms.every(({ name }) => names.has(name)),
  );
  const anonymous = await gateway("GET", "/room/list", { headers: {} });
  report.check("no token: 401", anonymous.status === 401, anonymous.status);
}
