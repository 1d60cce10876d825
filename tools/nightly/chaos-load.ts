/** The load of the chaos run: callers that create rooms, use them, and end or delete them. */
import { setTimeout as delay } from "node:timers/promises";
import { createClient, GatewayError } from "../../client/src/index.ts";
import { identities } from "../simulators/identities.ts";
import type { PlatformSimulator } from "../simulators/platform/platform-simulator.ts";
import { type Instances, random } from "./chaos-faults.ts";

/** What a caller knows about its room. */
interface Session {
  readonly room: string;
  /** No other session has this service tag. */
  readonly tag: string;
  /** `unknown` if no response has confirmed the end. */
  state: "held" | "ended" | "unknown";
}

interface LoadOptions {
  readonly instances: Instances;
  readonly platform: PlatformSimulator;
  readonly issueToken: () => string;
}

/** The client's calls to this URL go to any instance. */
const anyInstance = "http://127.0.0.1";
const documentedStatuses = [200, 202, 204, 404, 503];
const maxUseMilliseconds = 3000;
const maxPosts = 60;
// Far more than the claims take, so a busy computer does not shorten the run.
const maxLoadMilliseconds = 1_800_000;
const json = { "content-type": "application/json" };
const sinkCredentials = Buffer.from(`${identities.sinkUsername}:${identities.sinkPassword}`).toString(
  "base64",
);

/** Creates the callers. They send nothing yet. */
export function createLoad({ instances, platform, issueToken }: LoadOptions) {
  const sessions: Session[] = [];
  /** Broken promises that callers have noticed. */
  const problems: string[] = [];
  let sent = 0;
  let retries = 0;

  const toAnyInstance = async (url: unknown, init?: RequestInit): Promise<Response> =>
    fetch(String(url).replace(anyInstance, instances.pick()), init);
  const client = createClient({
    baseUrl: anyInstance,
    getToken: async () => ({ accessToken: issueToken(), expiresInSeconds: 3000 }),
    fetch: toAnyInstance,
    hooks: {
      onResponse: ({ method, path, status }) => {
        if (!documentedStatuses.includes(status))
          problems.push(`undocumented-response: ${method} ${path}: ${status}`);
      },
      onRetry: () => {
        retries += 1;
      },
    },
  });

  /** Returns the status, or 0 if there is no response. */
  async function post(path: string, headers: Record<string, string>, body: object): Promise<number> {
    const init = { method: "POST", headers: { ...headers, ...json }, body: JSON.stringify(body) };
    const response = await toAnyInstance(`${anyInstance}${path}`, init).catch(() => undefined);
    return response?.status ?? 0;
  }
  const runTimer = async (timer: "collectGarbage" | "collectMetrics"): Promise<number> =>
    post(`/admin/functions/${timer}`, {}, {});

  /** Creates a room. Returns undefined if there is none, or if the outcome is unknown. */
  async function claim(): Promise<Session | undefined> {
    sent += 1;
    const tag = `https://verify.example.com/sessions/chaos-${sent}`;
    const options = { serviceTag: tag, idempotencyKey: `chaos-${sent}` };
    const created = await ifSuccessful(client.createRoom(options));
    if (!created) return undefined;
    const session: Session = { room: created.name, tag, state: "held" };
    sessions.push(session);
    const again = random.chance(0.1) ? await ifSuccessful(client.createRoom(options)) : undefined;
    if (again && again.name !== session.room)
      problems.push(`handed-out-twice: one idempotency key gave ${session.room} and ${again.name}`);
    return session;
  }

  /** Uses a room for some time, then ends its conference, deletes it, or keeps it. */
  async function use(session: Session): Promise<void> {
    await delay(random.between(0, maxUseMilliseconds));
    checkHeld(session);
    const choice = random.next();
    if (choice < 0.15) return;
    session.state = "unknown";
    const isEnded = choice < 0.6 ? reportEnd(session.room) : deleteRoom(session.room);
    if (await isEnded) session.state = "ended";
  }

  /** Reports the end of a conference as the platform does, until a response confirms it. */
  async function reportEnd(room: string): Promise<boolean> {
    const event = { event: "conference_ended", data: { name: room } };
    for (let posts = 0; posts < maxPosts; posts++) {
      const status = await post("/public/event_sink", { authorization: `Basic ${sinkCredentials}` }, event);
      if (status === 204) return true;
      await delay(250);
    }
    return false;
  }

  const deleteRoom = async (room: string): Promise<boolean | undefined> =>
    ifSuccessful(client.deleteRoom(room).then(() => true));

  /** Compares a room with the platform's view of it. */
  function checkHeld({ room, tag }: Session): void {
    const found = platform.rooms().find(({ name }) => name === room);
    if (found?.["tag"] !== tag)
      problems.push(`handed-out-twice: ${room} has ${String(found?.["tag"])} instead of ${tag}`);
  }

  return {
    sessions,
    problems,
    runTimer,
    checkHeld,
    /** How often the client has repeated a call. */
    retries: () => retries,
    /** Sends this many claims by concurrent callers, and resolves when all rooms have been used. */
    async run(claims: number, callers: number): Promise<void> {
      const until = performance.now() + maxLoadMilliseconds;
      const end = sent + claims;
      const runCaller = async (): Promise<void> => {
        while (sent < end && performance.now() < until) {
          const session = await claim();
          if (session) await use(session);
          if (random.chance(0.02)) await runTimer("collectGarbage");
          if (random.chance(0.02)) await runTimer("collectMetrics");
        }
      };
      await Promise.all(Array.from({ length: callers }, runCaller));
    },
  };
}

/** Returns the result of a call, or undefined if it failed. */
async function ifSuccessful<Result>(call: Promise<Result>): Promise<Result | undefined> {
  return call.catch((error: unknown) => {
    if (error instanceof GatewayError) return undefined;
    throw error;
  });
}
