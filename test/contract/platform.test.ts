/**
 * The platform keeps one contract: the simulator, in memory and behind sockets, and with TASTYPIE=1 instead of them a
 * real Tastypie. What Debian's version 0.13.3 and version 0.15.1 do differently is left out, and so is what the
 * simulator refuses on purpose because it could destroy rooms: written ids, aliases in an update, and unknown
 * parameters.
 */
import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { createClient, type PlatformCall, type PlatformClient } from "../../src/lib/platform/client.ts";
import { type ConferenceFields, createConferences } from "../../src/lib/platform/conferences.ts";
import { PlatformError, rejectedFields } from "../../src/lib/platform/errors.ts";
import { createPlatformStatus } from "../../src/lib/platform/status-api.ts";
import {
  createBasicCredentials,
  createTransport,
  type PlatformTransport,
} from "../../src/lib/platform/transport.ts";
import { Conference } from "../../src/lib/rooms/schemas.ts";
import { toReadRoom } from "../../src/lib/rooms/shapes.ts";
import { toUpdateFields } from "../../src/lib/rooms/update.ts";
import { identities } from "../../tools/simulators/identities.ts";
import { createManualClock } from "../../tools/simulators/memory/clock.ts";
import { createMemoryPlatform } from "../../tools/simulators/platform/memory-platform.ts";
import { startPlatformSimulator } from "../../tools/simulators/platform/platform-simulator.ts";
import { startTastypie } from "../support/tastypie.ts";
import { conferencePath, platformCredentials } from "../support/use-platform.ts";
import { useStarted } from "../support/use-started.ts";

/** What runs on every platform beside its rooms. */
const live = "live é";
const alarm = { name: "licenses_exhausted", level: "warning" };

async function startSimulator() {
  const simulator = await startPlatformSimulator();
  simulator.startConference({ name: live });
  simulator.raiseAlarm(alarm);
  return { ...simulator, transport: createTransport(simulator.url, 20) };
}

async function startMemory() {
  const memory = createMemoryPlatform(Date.now);
  memory.startConference({ name: live });
  memory.raiseAlarm(alarm);
  return { transport: memory.transport, stop: async () => undefined };
}

async function startReal() {
  const tastypie = await startTastypie();
  return { ...tastypie, transport: createTransport(tastypie.url, 20) };
}

const isReal = process.env["TASTYPIE"] !== undefined;
const behindSockets = isReal ? startReal : startSimulator;
const platforms = isReal
  ? { "a real Tastypie": startReal }
  : { memory: startMemory, "the simulator": startSimulator };

const Page = z.object({
  meta: z.looseObject({ next: z.string().nullable() }),
  objects: z.array(z.looseObject({ name: z.string() })),
});
const uri = (resource: string, id: number | string = 1) => `/api/admin/configuration/v1/${resource}/${id}/`;
const participant = (id: number | string) => uri("automatic_participant", id);
const shared = (room: object | undefined): unknown => Reflect.get(room ?? {}, "automatic_participants");

function newClient(transport: PlatformTransport, credentials = platformCredentials): PlatformClient {
  const limits = { timeoutSeconds: 20, maxConcurrency: 5 };
  return createClient(transport, { ...limits, credentials, clock: createManualClock() });
}

describe.each(Object.entries(platforms))("The platform in %s", (_, start) => {
  const platform = useStarted<Awaited<ReturnType<typeof startMemory>>>(start);
  const client = newClient(async (...given) => platform.transport(...given));
  const conferences = createConferences(client);
  const status = createPlatformStatus(client);
  const newName = () => `room é ${randomUUID()}`;
  const get = async (query: PlatformCall["query"], path = conferencePath) =>
    (await client.call({ method: "GET", path, ...(query && { query }) })).body;

  async function create(fields: ConferenceFields = {}, name = newName()): Promise<string> {
    await conferences.create({ name, aliases: [{ alias: name }], ...fields });
    return name;
  }
  async function found(name: string) {
    const room = await conferences.findByName(name);
    if (!room) throw new Error("the room is not on the platform");
    return room;
  }
  /** Returns the status and the fields of a refusal, and whether a JSON body said why. */
  const refusalOf = async (call: Promise<unknown>) => {
    const error = await call.then(
      () => undefined,
      (error: unknown) => error,
    );
    if (!(error instanceof PlatformError))
      throw new Error("the platform did not refuse the call", { cause: error });
    return { status: error.platformStatus, fields: rejectedFields(error) };
  };

  test("creates a room with an alias and relations, and shows some of them as objects", async () => {
    const pins = { pin: "482913", allow_guests: true, guest_pin: "771204" };
    const relations = { media_playlist: uri("media_library_playlist"), teams_proxy: uri("teams_proxy", 2) };
    const lists = { automatic_participants: [participant(1)], ivr_theme: uri("ivr_theme") };
    const name = await create({ ...pins, ...relations, ...lists, tag: "https://example.com/?a=1&b" });
    const room = await found(name);
    expect(room).toMatchObject({
      ...pins,
      ...relations,
      name,
      tag: "https://example.com/?a=1&b",
      participant_limit: null,
      resource_uri: `${conferencePath}${room.id}/`,
      aliases: [{ alias: name, conference: `${conferencePath}${room.id}/` }],
      automatic_participants: [{ id: 1 }],
      ivr_theme: { id: 1, resource_uri: uri("ivr_theme") },
    });
    expect(shared(room)).not.toMatchObject([{ resource_uri: expect.anything() }]);
  });

  test("finds a room by its exact name with its case, whatever the name contains", async () => {
    const names = ["a/b&name=b", "a%2Fb", "100%", "x?y#z", "Ü 🏠's", "+ +", "A/B&name=b", "🏠".repeat(250)];
    for (const name of names) await create({}, name);
    for (const name of names) expect(await conferences.findByName(name)).toMatchObject({ name });
    expect(await get({ name: "X?Y#Z" })).toMatchObject({ meta: { total_count: 0, next: null }, objects: [] });
  });

  test("lists rooms in pages, whose links keep the parameters, and shows the limit that it uses", async () => {
    const prefix = randomUUID();
    for (const number of [1, 2, 3]) await create({}, `${prefix} ${number}`);
    const all = (await conferences.list()).map(({ name }) => name);
    const paged: string[] = [];
    let page = Page.parse(await get({ order_by: "name", limit: 2 }));
    expect(page.meta).toMatchObject({ limit: 2, offset: 0, previous: null, total_count: all.length });
    for (;;) {
      paged.push(...page.objects.map(({ name }) => name));
      if (page.meta.next === null) break;
      const next = new URL(page.meta.next, "http://platform.invalid");
      expect([next.pathname, next.searchParams.get("order_by")]).toEqual([conferencePath, "name"]);
      page = Page.parse(await get(undefined, page.meta.next));
    }
    expect(paged).toEqual(all.toSorted());
    for (const limit of [0, 5000]) expect(await get({ limit })).toMatchObject({ meta: { limit: 1000 } });
    for (const query of [{ order_by: "id" }, { limit: -1 }, { limit: "two" }, { offset: "ten" }])
      expect(await refusalOf(get(query))).toMatchObject({ status: 400 });
  });

  test("accepts a whole GET as an update, which changes nothing, and changes only what is given", async () => {
    const name = await create({
      automatic_participants: [participant(1)],
      ivr_theme: uri("ivr_theme"),
      pin: "482913",
    });
    const before = await found(name);
    const whole = toUpdateFields(
      Conference.parse(toReadRoom(before, { constrained: false, showHostPin: true })),
      before,
    );
    expect(whole).toMatchObject({ automatic_participants: [participant(1)], ivr_theme: uri("ivr_theme") });
    await conferences.update(before.id, whole);
    expect(await found(name)).toEqual(before);
    await conferences.update(before.id, { tag: "t", automatic_participants: null, ivr_theme: null });
    expect(await found(name)).toEqual({ ...before, tag: "t", automatic_participants: [], ivr_theme: null });
  });

  test("deletes a room once, after which its name and alias can be used again", async () => {
    const name = await create();
    const { id } = await found(name);
    expect([await conferences.delete(id), await conferences.delete(id)]).toEqual([true, false]);
    expect([await conferences.findByName(name), await conferences.update(id, { tag: "x" })]).toEqual([
      undefined,
      undefined,
    ]);
    expect(await refusalOf(get(undefined, `${conferencePath}${id}/`))).toMatchObject({ status: 404 });
    await create({}, name);
    expect((await found(name)).id).toBeGreaterThan(id);
  });

  const invalid = (...fields: string[]) => ({ status: 400, fields });
  const unnamed = invalid();
  const notFound = { status: 404, fields: [] };
  // The number of aliases of the room that is stored, or undefined if none is.
  test.each<[string, ConferenceFields, object, undefined | number]>([
    ["no name", { name: undefined }, invalid("name"), undefined],
    ["a name that is too long", { name: "x".repeat(251) }, invalid("name"), undefined],
    ["a tag that is too long", { tag: "x".repeat(251) }, invalid("tag"), undefined],
    ["a short PIN", { pin: "12345" }, invalid("pin"), undefined],
    ["guests but no host PIN", { allow_guests: true }, invalid("__all__"), undefined],
    ["an alias that is too long", { aliases: [{ alias: "x".repeat(251) }] }, invalid("alias"), 0],
    ["a participant that does not exist", { automatic_participants: [participant(99)] }, unnamed, 0],
    [
      "a participant without final slash",
      { automatic_participants: [participant(1).slice(0, -1)] },
      notFound,
      0,
    ],
    ["a participant with a query", { automatic_participants: [`${participant(1)}?id=2`] }, notFound, 0],
    ["a participant with a negative ID", { automatic_participants: [participant(-1)] }, unnamed, 0],
    ["dots instead of a participant", { automatic_participants: [participant("..")] }, notFound, 0],
    ["a theme as participant", { automatic_participants: [uri("ivr_theme")] }, notFound, 0],
    ["a participant instead of a list", { automatic_participants: participant(1) }, notFound, 0],
    ["a theme that does not exist", { ivr_theme: uri("ivr_theme", 99) }, unnamed, undefined],
    ["a theme of another kind", { ivr_theme: uri("teams_proxy") }, notFound, undefined],
    ["a theme without final slash", { ivr_theme: uri("ivr_theme").slice(0, -1) }, notFound, undefined],
    ["a list instead of a Teams proxy", { teams_proxy: [{ id: 1 }] }, unnamed, undefined],
    ["a playlist by its field's name", { media_playlist: uri("media_playlist") }, notFound, undefined],
  ])("refuses a room with %s, and may have stored a part of it", async (_, fields, refusal, aliases) => {
    const name = newName();
    expect(await refusalOf(create(fields, name))).toEqual(refusal);
    const left = (await conferences.list()).find((room) => room.name === name);
    expect(left?.aliases?.length).toBe(aliases);
  });

  test("refuses a name that is taken, but takes an alias from another room", async () => {
    const taken = await create();
    expect(await refusalOf(create({}, taken))).toEqual(invalid("name"));
    const thief = await create({ aliases: [{ alias: taken }] });
    expect([(await found(taken)).aliases, (await found(thief)).aliases]).toMatchObject([
      [],
      [{ alias: taken }],
    ]);
  });

  test("stores half of an update that it refuses for a list, and nothing of one that it refuses for one object", async () => {
    const name = await create();
    const { id } = await found(name);
    expect(await conferences.update(id, { tag: "a", ivr_theme: uri("teams_proxy") })).toBeUndefined();
    expect(await refusalOf(conferences.update(id, { tag: "b", teams_proxy: [{ id: 1 }] }))).toEqual(unnamed);
    expect(await refusalOf(conferences.update(id, { tag: "c", pin: "1" }))).toEqual(invalid("pin"));
    expect((await found(name)).tag).toBe("");
    const participants = { automatic_participants: [participant(99)] };
    expect(await refusalOf(conferences.update(id, { tag: "d", ...participants }))).toEqual(unnamed);
    expect((await found(name)).tag).toBe("d");
  });

  test("writes a nested object to the one that all rooms share, and blanks what is missing", async () => {
    const other = await create({ automatic_participants: [participant(2)] });
    expect(shared(await found(other))).not.toMatchObject([{ alias: "" }]);
    await create({ automatic_participants: [{ id: 2 }], teams_proxy: { id: 2 } });
    expect(shared(await found(other))).toMatchObject([{ id: 2, alias: "", description: "" }]);
  });

  test("shows live conferences and alarms, which nobody can change", async () => {
    expect([await status.isLive(live), await status.isLive("LIVE é")]).toEqual([true, false]);
    expect(await status.liveConferences()).toEqual(new Set([live]));
    expect(await status.alarms()).toEqual([alarm]);
    const path = "/api/admin/status/v1/conference/";
    const request = { method: "POST", path, body: {} } as const;
    const authorization = await platformCredentials.authorization();
    expect(await platform.transport(request, authorization)).toMatchObject({ status: 405 });
  });

  test("redirects a path without its final slash, which the gateway does not take for the platform's word", async () => {
    const call = get(undefined, conferencePath.slice(0, -1));
    await expect(call).rejects.toMatchObject({
      code: "platform-unavailable",
      details: { failedCall: { platformStatus: 301 } },
    });
  });
});

describe("The platform behind sockets", () => {
  const platform = useStarted(behindSockets);

  test("refuses a wrong password and a wrong user with 401, an empty body and the scheme Basic", async () => {
    const { platformUsername, platformPassword } = identities;
    for (const [username, password] of [
      [platformUsername, "Grüezi:7"],
      ["nobody", platformPassword],
    ] as const) {
      const credentials = createBasicCredentials(username, password);
      const refused = createConferences(newClient(platform.transport, credentials)).list();
      await expect(refused).rejects.toMatchObject({ code: "platform-login-refused", platformStatus: 401 });
      const request = { method: "GET", path: conferencePath } as const;
      const headers = { "www-authenticate": expect.stringMatching(/^Basic realm=/i) };
      expect(await platform.transport(request, await credentials.authorization())).toMatchObject({
        headers,
        body: "",
      });
    }
  });
});
