/** Lists that callers share, and their deadlines. */
import { beforeEach, describe, expect, test } from "vitest";
import {
  createClient,
  type PlatformClient,
  type PlatformResponse,
} from "../../../src/lib/platform/client.ts";
import { createConferences } from "../../../src/lib/platform/conferences.ts";
import { createSharedList, type SharedList } from "../../../src/lib/platform/shared-list.ts";
import { createBasicCredentials, type PlatformTransport } from "../../../src/lib/platform/transport.ts";
import { createManualClock, type ManualClock } from "../../support/clock.ts";

/** A platform that responds to a request on demand, with the rooms that it has at that moment. */
interface HeldRequest {
  readonly method: string;
  readonly page: number;
  readonly respond: (status?: number) => Promise<void>;
}

const rowsPerPage = 500;

let clock: ManualClock;
let client: PlatformClient;
let sharedList: SharedList;
let rooms: { id: number; name: string }[];
let requests: HeldRequest[];
let sent: number;
beforeEach(() => {
  clock = createManualClock();
  rooms = [{ id: 1, name: "room-1" }];
  requests = [];
  sent = 0;
  const credentials = createBasicCredentials("gateway", "platform-password");
  client = createClient(holdRequests, { timeoutSeconds: 10, maxConcurrency: 1, credentials, clock });
  sharedList = createSharedList(createConferences(client.background), clock);
});

const settle = async (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

const holdRequests: PlatformTransport = async ({ method, path, query }) => {
  sent += 1;
  const offset = Number(query?.["offset"] ?? new URLSearchParams(path.split("?")[1]).get("offset") ?? 0);
  // A page shows the state at its request, so it misses a later deletion.
  const found = rooms.slice(offset, offset + rowsPerPage);
  const hasMore = rooms.length > offset + rowsPerPage;
  const next = `/api/admin/configuration/v1/conference/?limit=${rowsPerPage}&offset=${offset + rowsPerPage}`;
  const meta = { next: hasMore ? next : null };
  return new Promise((resolve) => {
    requests.push({
      method,
      page: offset / rowsPerPage,
      respond: async (status = method === "DELETE" ? 204 : 200) => {
        resolve({ status, headers: {}, body: { meta, objects: found } });
        await settle();
      },
    });
  });
};

async function respondNext(status?: number): Promise<void> {
  await settle();
  const request = requests.shift();
  if (!request) throw new Error("no request was sent");
  await request.respond(status);
}
const namesOf = async (list: ReturnType<SharedList["list"]>) => (await list).map(({ name }) => name);
const occupy = (): Promise<PlatformResponse> =>
  client.background.call({ method: "GET", path: "/api/admin/configuration/v1/conference/" });
const outcomeOf = async (list: ReturnType<SharedList["list"]>) => list.catch((error: unknown) => error);

describe("A request for the list", () => {
  test("shares the next list with others that arrive while one is read", async () => {
    const first = sharedList.list();
    await settle();
    const lists = [sharedList.list(), sharedList.list(), sharedList.list()];
    rooms = [{ id: 2, name: "room-2" }];
    await respondNext();
    expect(await namesOf(first)).toEqual(["room-1"]);
    await respondNext();
    for (const names of await Promise.all(lists.map(namesOf))) expect(names).toEqual(["room-2"]);
    expect(sent).toBe(2);
  });

  test("does not join a list whose first page was requested before a deletion was confirmed", async () => {
    const before = sharedList.list();
    await settle();
    rooms = [];
    const after = sharedList.list();
    await respondNext();
    await respondNext();
    expect(await namesOf(before)).toEqual(["room-1"]);
    expect(await namesOf(after)).toEqual([]);
  });

  test("gets a list of its own if the one before it has failed", async () => {
    const first = outcomeOf(sharedList.list());
    await settle();
    const second = sharedList.list();
    await respondNext(500);
    expect(await first).toMatchObject({ platformStatus: 500 });
    await respondNext();
    expect(await namesOf(second)).toEqual(["room-1"]);
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    "never shows a room whose deletion was confirmed before, with the interleaving of seed %i",
    async (seed) => {
      let state = seed * 7919;
      const below = (limit: number) => {
        state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
        return Math.floor((state / 2_147_483_648) * limit);
      };
      rooms = Array.from({ length: 1200 }, (_, index) => ({ id: index, name: `room-${index}` }));
      const deleted = new Set<string>();
      const lists: { readonly deletedBefore: ReadonlySet<string>; readonly rows: Promise<string[]> }[] = [];
      for (let step = 0; step < 120; step++) {
        const choice = below(4);
        if (choice === 0) {
          const [room] = rooms.splice(below(rooms.length), 1);
          if (room) deleted.add(room.name);
        } else if (choice === 1) {
          lists.push({ deletedBefore: new Set(deleted), rows: namesOf(sharedList.list()) });
        } else if (requests.length > 0) await requests.shift()?.respond();
        if (below(2) === 0) await settle();
      }
      for (let round = 0; round < 1000; round++) {
        await settle();
        await requests.shift()?.respond();
      }
      for (const { deletedBefore, rows } of lists)
        expect((await rows).filter((name) => deletedBefore.has(name))).toEqual([]);
      expect(lists.length).toBeGreaterThan(10);
      expect(sent).toBeLessThan(4 * lists.length);
    },
  );
});

describe("A list", () => {
  test("fails with Retry-After if its first page cannot be requested within 60 s", async () => {
    const busy = occupy();
    const list = outcomeOf(sharedList.list());
    await settle();
    clock.advance(59.9);
    await settle();
    clock.advance(0.1);
    expect(await list).toMatchObject({
      code: "platform-timeout",
      status: 503,
      details: { retryAfterSeconds: 5 },
    });
    await respondNext();
    await busy;
    await settle();
    expect(sent).toBe(1);
  });

  test("fails after 60 s, and its other pages are not requested", async () => {
    rooms = Array.from({ length: 2100 }, (_, index) => ({ id: index, name: `room-${index}` }));
    const list = outcomeOf(sharedList.list());
    await respondNext();
    expect(requests.map(({ page }) => page)).toEqual([1]);
    clock.advance(60);
    expect(await list).toMatchObject({ code: "platform-timeout", status: 503 });
    await respondNext();
    await settle();
    expect(sent).toBe(2);
  });
});
