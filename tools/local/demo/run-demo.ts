/** The demonstration: the whole life of a room, step by step, with the requests that its users send. */
import * as z from "zod";
import { encodeServiceTag } from "../../../client/src/service-tag.ts";
import { isPersistent, parseMarker } from "../../../src/lib/pool/room.ts";
import { identities } from "../../simulators/identities.ts";
import { parseJson } from "../../simulators/process/parse-json.ts";
import { poll } from "../../simulators/process/poll.ts";
import { tokenForm } from "../stack/access-token.ts";
import type { Connection } from "../stack/connection.ts";
import { maxPeeked, openQueueContents } from "../stack/queue-contents.ts";
import { showPoolFill } from "../terminal/pool-progress.ts";
import { createProgress, type Output } from "../terminal/progress.ts";
import { createReport, indent } from "./report.ts";

export interface DemoOptions {
  readonly output: Output;
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
const tokenSchema = z.object({ access_token: z.string() });
const roomSchema = z.object({ name: z.string(), guest_pin: z.string(), tag: z.string() });
const rowsSchema = z.array(z.object({ row: z.record(z.string(), z.unknown()) }));
const roomsSchema = z.array(z.object({ name: z.string(), description: z.string().nullish() }));

/** Runs all steps, and returns how many checks failed. A step that cannot continue is a failed check. */
export async function runDemo(connection: Connection, options: DemoOptions): Promise<number> {
  const report = createReport(options.output);
  try {
    await runSteps(connection, options, report);
  } catch (error) {
    if (!options.stopping.aborted) report.check("the demonstration runs to its end", false, String(error));
  }
  return options.stopping.aborted ? 0 : report.summarize();
}

async function runSteps(
  connection: Connection,
  { output, stopping, refills }: DemoOptions,
  report: ReturnType<typeof createReport>,
): Promise<void> {
  const { step, check, line } = report;
  const { gatewayUrl, platformControlUrl, logWorkspaceUrl, garbageMinimumAgeSeconds } = connection;
  const queues = openQueueContents(connection.storageConnectionString);
  const nobody = { headers: {} };
  let consumer: Record<string, string> = {};

  /**
   * Sends a request to a path of the gateway or to another URL, prints it, and checks the status of its response. Without
   * headers, it is the consumer's.
   */
  async function send(
    what: string,
    expected: number,
    request: string,
    { headers = consumer, body }: Sent = {},
  ) {
    stopping.throwIfAborted();
    const [method = "", target = ""] = request.split(" ");
    const isForm = body instanceof URLSearchParams;
    const { status, text } = await report.send(new URL(target, gatewayUrl), {
      method,
      headers: { ...headers, ...(body && !isForm && { "content-type": "application/json" }) },
      ...(body && { body: isForm ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMilliseconds),
    });
    check(`${what}: ${expected}`, status === expected, status);
    return parseJson(text);
  }
  const fire = async (name: string) =>
    send(`${name} is fired`, 202, `POST /admin/functions/${name}`, { headers: {}, body: {} });
  const read = async (url: string): Promise<unknown> => (await fetch(url)).json();
  const roomsOnPlatform = async () => roomsSchema.parse(await read(`${platformControlUrl}/control/rooms`));
  const readyRooms = async (): Promise<number> => (await queues.peek("pool")).length;
  const untilPoolHas = async (rooms: number) => {
    await showPoolFill(connection, rooms, { output, indent, stopping });
    const ready = await readyRooms();
    check(`the pool holds ${rooms} rooms`, ready >= Math.min(rooms, maxPeeked), ready);
  };
  const pathOf = (name: string): string => `/room/${encodeURIComponent(name)}`;

  step("Check that the gateway is up, and get a token");
  await send("the gateway is up", 200, "GET /public/health", nobody);
  const form = { headers: {}, body: new URLSearchParams(tokenForm) };
  const granted = await send("a token", 200, `POST ${connection.tokenUrl}`, form);
  consumer = { authorization: `Bearer ${tokenSchema.parse(granted).access_token}` };

  step("Fill the pool in the background");
  const level = (await readyRooms()) + addedRooms;
  await send("bulk create", 202, `POST /room/bulk/?max_vmr=${level}`);
  await untilPoolHas(level);

  async function create(path: string, session: string) {
    const tag = `https://verify.example.com/sessions/${session}`;
    const created = await send("a create", 200, `POST ${path}?uuiData=${encodeServiceTag(tag)}`);
    const room = roomSchema.parse(created);
    check("the tag is the decoded uuiData", room.tag === tag, room.tag);
    return room;
  }
  step("Create three rooms, which takes them from the pool");
  const first = await create("/room/create", "demo-1");
  const second = await create("/room/create", "demo-2");
  const names = [first, second, await create("/room/create/old", "demo-3")].map(({ name }) => name);
  check("the three rooms are different", new Set(names).size === 3, names);
  await send("invalid uuiData", 422, "POST /room/create?uuiData=not-hexadecimal");

  step("Read a room in both shapes");
  const seen = await send("the constrained shape", 200, `GET ${pathOf(first.name)}`);
  const isSame = roomSchema.parse(seen).guest_pin === first.guest_pin;
  check("the PIN is the same as after create", isSame, seen);
  await send("the full shape", 200, `GET ${pathOf(first.name)}?constrained_attributes=false`);
  await send("an unknown room", 404, "GET /room/there-is-no-such-room");

  step("Read the room as an agent's desktop does");
  const publicPath = `GET /public${pathOf(first.name)}`;
  const shown = await send("an agent", 200, publicPath, {
    headers: { "x-auth-token": identities.agentToken },
  });
  check("the host PIN is not shown", !JSON.stringify(shown).includes(identities.hostPin), shown);
  await send("no token", 401, publicPath, nobody);
  const other = { headers: { "x-auth-token": identities.otherAgentToken } };
  await send("a user of another division", 403, publicPath, other);

  step("Change the room");
  const body = { participant_limit: 4, description: "Changed by the demonstration" };
  await send("an update", 202, `PATCH ${pathOf(first.name)}`, { body });
  const changed = await send("the new values", 200, `GET ${pathOf(first.name)}?constrained_attributes=false`);
  const { data } = z.object({ participant_limit: z.literal(4) }).safeParse(changed);
  check("the platform has the new values", data !== undefined, changed);

  step("List all rooms");
  const listed = z.array(z.object({ name: z.string() })).parse(await send("a list", 200, "GET /room/list"));
  const known = new Set(listed.map(({ name }) => name));
  const areListed = names.every((name) => known.has(name));
  check(`the three rooms are among the ${known.size} listed`, areListed, [...known]);
  await send("no token", 401, "GET /room/list", nobody);

  step("Wait until the rooms that were handed out are replaced");
  await untilPoolHas(level);

  step("Start and end a conference in the first room");
  const control = `POST ${platformControlUrl}/control/conferences`;
  const conference = { headers: {}, body: { name: first.name, participants: 2 } };
  await send("the conference starts", 200, `${control}/start`, conference);
  const endedAt = Date.now();
  await send("the conference ends", 204, `${control}/end`, { headers: {}, body: { name: first.name } });
  await poll(async () => ((await queues.peek("deletion")).includes(first.name) ? true : undefined), {
    description: "the room's name on room-deletion-queue",
    timeoutSeconds: 20,
    stopping,
  });
  check("the event sink has stored the room's name on room-deletion-queue", true);

  step("Delete the second room");
  await send("a delete", 204, `DELETE ${pathOf(second.name)}`);
  await send("a second delete", 404, `DELETE ${pathOf(second.name)}`);

  const age = `${garbageMinimumAgeSeconds} s after their end`;
  step(`Collect garbage, as the timer does every 10 minutes; here, rooms are deleted ${age}`);
  const wholeSeconds = Math.ceil(garbageMinimumAgeSeconds);
  const progress = createProgress(output, "seconds since the end", wholeSeconds, indent);
  await fire("collectGarbage");
  const isDeleted = async (): Promise<true | undefined> => {
    if (!(await roomsOnPlatform()).some(({ name }) => name === first.name)) return true;
    progress.show(Math.floor((Date.now() - endedAt) / 1000));
    const headers = { "content-type": "application/json" };
    await fetch(`${gatewayUrl}/admin/functions/collectGarbage`, { method: "POST", headers, body: "{}" });
    return undefined;
  };
  await poll(isDeleted, {
    description: "the room to be deleted",
    timeoutSeconds: garbageMinimumAgeSeconds + 30,
    pauseMilliseconds: 1000,
    stopping,
  });
  progress.end();
  const seconds = (Date.now() - endedAt) / 1000;
  // Storage computes a message's age from two times in whole seconds.
  const isInTime = seconds > garbageMinimumAgeSeconds - 1;
  check(`the room was deleted ${seconds.toFixed(1)} s after its end, not earlier than configured`, isInTime);
  await send("the room", 404, `GET ${pathOf(first.name)}`);

  step("Write a metrics row, as the timer does every 5 minutes");
  const rows = async () => rowsSchema.parse(await read(`${logWorkspaceUrl}/control/rows`));
  const before = (await rows()).length;
  await fire("collectMetrics");
  const { row } = await poll(async () => (await rows()).slice(before).at(-1), {
    description: "a new row in the log workspace",
    timeoutSeconds: 20,
    stopping,
  });
  const { PoolDepth, AvailableRooms, InUseRooms, AlarmCount, PlatformConnected } = row;
  line(JSON.stringify({ PoolDepth, AvailableRooms, InUseRooms, AlarmCount, PlatformConnected }));
  const hasRooms = Number(PoolDepth) >= (await readyRooms()) && AvailableRooms === PoolDepth;
  check("the row has the rooms in the pool and in use", hasRooms && Number(InUseRooms) >= 1, row);

  step("Delete all rooms");
  await send("bulk delete", 204, "DELETE /room/bulk/");
  const ours = (await roomsOnPlatform()).filter(
    ({ name, description }) => !isPersistent(name) && parseMarker(description),
  );
  check("no room of the gateway is left on the platform", ours.length === 0, ours);
  await send("a create on the empty pool", 404, "POST /room/create");

  if (!refills) return;
  step("Refill the pool");
  // The create on the empty pool has requested a room, which bulk create would count twice: as request and as name.
  await queues.untilProvisioned(stopping);
  await send("bulk create", 202, "POST /room/bulk/");
  await untilPoolHas(connection.maxRooms);
}
