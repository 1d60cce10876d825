/** The demonstration: the whole life of a room, step by step, with the requests that its users send. */
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { encodeServiceTag } from "../../../client/src/service-tag.ts";
import { isPersistent, parseMarker } from "../../../src/lib/pool/room.ts";
import {
  ConstrainedConference,
  CreatedRoom,
  FullConference,
  PublicConstrainedConference,
} from "../../../src/lib/rooms/schemas.ts";
import { parseJson } from "../process/parse-json.ts";
import { poll } from "../process/poll.ts";
import { tokenForm } from "../stack/access-token.ts";
import type { Connection } from "../stack/connection.ts";
import { identities } from "../stack/identities.ts";
import { maxPeeked, openQueueContents } from "../stack/queue-contents.ts";
import { showPoolFill } from "../terminal/pool-progress.ts";
import { createProgress } from "../terminal/progress.ts";
import { indent, type Report } from "./report.ts";

export interface DemoOptions {
  readonly stopping: AbortSignal;
  /** Refills the pool at the end, for a gateway that stays in use. */
  readonly refills: boolean;
}

interface Sent {
  readonly headers?: Record<string, string>;
  /** Sent as JSON, or as a form. */
  readonly body?: object;
}

const timeoutMilliseconds = 240_000;
const addedRooms = 10;
const tokenSchema = z.object({ access_token: z.string(), expires_in: z.literal(3599) });
const healthSchema = z.strictObject({ status: z.literal("alive"), timestamp: z.iso.datetime() });
const faultsSchema = z.object({ detail: z.array(z.object({ loc: z.array(z.unknown()) })).min(1) });
const rowsSchema = z.array(z.object({ row: z.record(z.string(), z.unknown()) }));
const roomsSchema = z.array(z.object({ name: z.string(), description: z.string().nullish() }));

/** Runs all steps and records every check in the report. Throws if a step cannot continue. */
export async function runDemo(connection: Connection, report: Report, options: DemoOptions): Promise<void> {
  const { stopping, refills } = options;
  const { gatewayUrl, platformControlUrl, logWorkspaceUrl, garbageMinimumAgeSeconds } = connection;
  const { step, check } = report;
  const queues = openQueueContents(connection.storageConnectionString);
  const nobody = { headers: {} };
  let consumer: Record<string, string> = {};

  /** Sends a request to a path of the gateway or to another URL, and prints it. Without headers, it is the consumer's. */
  async function send(method: string, target: string, { headers = consumer, body }: Sent = {}) {
    stopping.throwIfAborted();
    const isForm = body instanceof URLSearchParams;
    const response = await report.fetch(new URL(target, gatewayUrl), {
      method,
      headers: { ...headers, ...(body && !isForm && { "content-type": "application/json" }) },
      ...(body && { body: isForm ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMilliseconds),
    });
    const text = await response.text();
    return { status: response.status, text, json: parseJson(text) };
  }
  /** Sends a request and checks the status of its response, which has no body. */
  async function sendForNothing(expectation: string, status: number, ...request: Parameters<typeof send>) {
    const response = await send(...request);
    check(
      `${expectation}: ${status} without a body`,
      isDeepStrictEqual([response.status, response.text], [status, ""]),
      response,
    );
  }
  const sendRefused = async (expectation: string, status: number, ...request: Parameters<typeof send>) => {
    const response = await send(...request);
    check(`${expectation}: ${status}`, response.status === status, response.status);
  };
  const fire = async (name: string) =>
    sendForNothing(`${name} is fired`, 202, "POST", `/admin/functions/${name}`, { headers: {}, body: {} });
  const readyRooms = async (): Promise<number> => (await queues.peek("pool")).length;
  const untilPoolHas = async (rooms: number) => {
    await showPoolFill(connection, rooms, { output: report.output, indent, stopping });
    return readyRooms();
  };
  const roomsOnPlatform = async () =>
    roomsSchema.parse(await (await fetch(`${platformControlUrl}/control/rooms`)).json());
  const pathOf = (name: string): string => `/room/${encodeURIComponent(name)}`;

  step("Check that the gateway is up, and get a token");
  const health = await send("GET", "/public/health", nobody);
  check("the gateway is up and reports the time", healthSchema.safeParse(health.json).success, health);
  const granted = await send("POST", connection.tokenUrl, {
    headers: {},
    body: new URLSearchParams(tokenForm),
  });
  const token = tokenSchema.safeParse(granted.json);
  check("the token is valid for 3599 seconds", token.success, granted.status);
  consumer = { authorization: `Bearer ${token.data?.access_token}` };

  step("Fill the pool in the background");
  const level = (await readyRooms()) + addedRooms;
  await sendForNothing("bulk create", 202, "POST", `/room/bulk/?max_vmr=${level}`);
  const ready = await untilPoolHas(level);
  check("the pool holds the requested rooms", ready >= Math.min(level, maxPeeked), ready);

  async function create(path: string, session: string) {
    const tag = `https://verify.example.com/sessions/${session}`;
    const { json } = await send("POST", `${path}?uuiData=${encodeServiceTag(tag)}`);
    const parsed = CreatedRoom.strict().safeParse(json);
    check("200 in the constrained shape, without the host PIN", parsed.success, json);
    const room = CreatedRoom.parse(json);
    check(
      "the tag is the decoded uuiData, and the alias equals the name",
      room.tag === tag && room.aliases[0]?.alias === room.name,
      room,
    );
    return room;
  }
  step("Create three rooms, which takes them from the pool");
  const first = await create("/room/create", "demo-1");
  const second = await create("/room/create", "demo-2");
  const names = [first, second, await create("/room/create/old", "demo-3")].map(({ name }) => name);
  check("the three rooms are different", new Set(names).size === 3, names);
  const invalid = await send("POST", "/room/create?uuiData=not-hexadecimal");
  const isExplained = invalid.status === 422 && faultsSchema.safeParse(invalid.json).success;
  check("invalid uuiData: 422 with a validation error", isExplained, invalid);

  step("Read a room in both shapes");
  const read = await send("GET", pathOf(first.name));
  const constrained = ConstrainedConference.safeParse(read.json);
  check("200 in the constrained shape", constrained.success, read);
  const isSame = constrained.data?.guest_pin === first.guest_pin && constrained.data?.tag === first.tag;
  check("PIN and tag are the same as after create", isSame, read);
  const full = await send("GET", `${pathOf(first.name)}?constrained_attributes=false`);
  const isFull = FullConference.safeParse(full.json).success && full.text.includes('"participant_limit"');
  check("200 in the full shape", isFull, full);
  await sendForNothing("an unknown room", 404, "GET", "/room/there-is-no-such-room");

  step("Read the room as an agent's desktop does");
  const publicPath = `/public${pathOf(first.name)}`;
  const agent = { headers: { "x-auth-token": identities.agentToken } };
  const seen = await send("GET", publicPath, agent);
  check(
    "200 in the constrained shape, without the host PIN",
    PublicConstrainedConference.strict().safeParse(seen.json).success,
    seen,
  );
  await sendRefused("no token", 401, "GET", publicPath, nobody);
  const other = { headers: { "x-auth-token": identities.otherAgentToken } };
  await sendRefused("a user of another division", 403, "GET", publicPath, other);

  step("Change the room");
  const change = { participant_limit: 4, description: "Changed by the demonstration" };
  await sendForNothing("an update", 202, "PATCH", pathOf(first.name), { body: change });
  const { json: changed } = await send("GET", `${pathOf(first.name)}?constrained_attributes=false`);
  const isChanged = FullConference.safeParse(changed).data?.participant_limit === 4;
  check("the platform has the new values", isChanged, changed);

  step("List all rooms");
  const listed = await send("GET", "/room/list");
  const list = z.array(ConstrainedConference).safeParse(listed.json);
  check("200, an array in the constrained shape", list.success, listed);
  const known = new Set(list.data?.map(({ name }) => name));
  check(
    `the three rooms are among the ${known.size} listed`,
    names.every((name) => known.has(name)),
  );
  await sendRefused("no token", 401, "GET", "/room/list", nobody);

  step("Wait until the rooms that were handed out are replaced");
  const replaced = await untilPoolHas(ready);
  check(`the pool holds ${ready} rooms again`, replaced === ready, replaced);

  step("Start and end a conference in the first room");
  const control = `${platformControlUrl}/control/conferences`;
  await send("POST", `${control}/start`, { headers: {}, body: { name: first.name, participants: 2 } });
  const endedAt = Date.now();
  await sendForNothing("the conference ends", 204, "POST", `${control}/end`, {
    headers: {},
    body: { name: first.name },
  });
  await poll(async () => ((await queues.peek("deletion")).includes(first.name) ? true : undefined), {
    description: "the room's name on room-deletion-queue",
    timeoutSeconds: 20,
    stopping,
  });
  check("the event sink has stored the room's name on room-deletion-queue", true);

  step("Delete the second room");
  await sendForNothing("a delete", 204, "DELETE", pathOf(second.name));
  await sendForNothing("a second delete", 404, "DELETE", pathOf(second.name));

  const age = `${garbageMinimumAgeSeconds} s after their end`;
  step(`Collect garbage, as the timer does every 10 minutes; here, rooms are deleted ${age}`);
  const progress = createProgress(
    report.output,
    "seconds since the end",
    Math.ceil(garbageMinimumAgeSeconds),
    indent,
  );
  await fire("collectGarbage");
  await poll(
    async () => {
      if (!(await roomsOnPlatform()).some(({ name }) => name === first.name)) return true;
      progress.show(Math.floor((Date.now() - endedAt) / 1000));
      const headers = { "content-type": "application/json" };
      await fetch(`${gatewayUrl}/admin/functions/collectGarbage`, { method: "POST", headers, body: "{}" });
      return undefined;
    },
    {
      description: "the room to be deleted",
      timeoutSeconds: garbageMinimumAgeSeconds + 30,
      pauseMilliseconds: 1000,
      stopping,
    },
  );
  progress.end();
  const seconds = (Date.now() - endedAt) / 1000;
  // Storage computes a message's age from two times in whole seconds.
  const isInTime = seconds > garbageMinimumAgeSeconds - 1;
  check(
    `the room was deleted ${seconds.toFixed(1)} s after its end, not earlier than configured`,
    isInTime,
    seconds,
  );
  await sendForNothing("the room", 404, "GET", pathOf(first.name));

  step("Write a metrics row, as the timer does every 5 minutes");
  const rows = async () => rowsSchema.parse(await (await fetch(`${logWorkspaceUrl}/control/rows`)).json());
  const before = (await rows()).length;
  await fire("collectMetrics");
  const { row } = await poll(async () => (await rows()).slice(before).at(-1), {
    description: "a new row in the log workspace",
    timeoutSeconds: 20,
    stopping,
  });
  const { PoolDepth, AvailableRooms, InUseRooms, AlarmCount, PlatformConnected } = row;
  report.line(JSON.stringify({ PoolDepth, AvailableRooms, InUseRooms, AlarmCount, PlatformConnected }));
  const hasRooms = Number(PoolDepth) >= (await readyRooms()) && AvailableRooms === PoolDepth;
  check("the row has the rooms in the pool and in use", hasRooms && Number(InUseRooms) >= 1, row);
  check(
    "the row has the platform's alarms and connectivity",
    typeof AlarmCount === "number" && PlatformConnected === true,
    row,
  );

  step("Delete all rooms");
  await sendForNothing("bulk delete", 204, "DELETE", "/room/bulk/");
  const ours = (await roomsOnPlatform()).filter(
    ({ name, description }) => !isPersistent(name) && parseMarker(description),
  );
  check("no room of the gateway is left on the platform", ours.length === 0, ours);
  await sendForNothing("a create on the empty pool", 404, "POST", "/room/create");

  if (!refills) return;
  step("Refill the pool");
  // The create on the empty pool has requested a room, which bulk create would count twice: as request and as name.
  await queues.untilProvisioned(stopping);
  await sendForNothing("bulk create", 202, "POST", "/room/bulk/");
  await untilPoolHas(connection.maxRooms);
}
