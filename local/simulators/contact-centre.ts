/** Simulates the contact-centre cloud: its current-user endpoint, with faults and rate limits on demand. */
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import * as z from "zod";
import { type Answer, type LoopbackRequest, type Reply, startLoopbackServer } from "./loopback-server.ts";

const userSchema = z.object({
  token: z.string(),
  id: z.string(),
  name: z.string(),
  divisionId: z.string(),
  divisionName: z.string(),
  state: z.enum(["active", "inactive", "deleted"]),
});
const faultSchema = z.object({
  status: z.int().min(400).max(599),
  count: z.int().min(1).default(1),
  retryAfterSeconds: z.int().min(0).optional(),
});
const latencySchema = z.object({ milliseconds: z.number().min(0) });
const rateLimitSchema = z.object({ requestsPerMinute: z.int().min(0).nullable() });

export type ContactCentreUser = z.output<typeof userSchema>;

export interface ContactCentre {
  readonly url: string;
  readonly stop: () => Promise<void>;
  /** The number of calls to the current-user endpoint, including refused ones. */
  callCount(): number;
  setUsers(users: ContactCentreUser[]): void;
  /** Returns this status to the next `count` calls (default 1). */
  failNext(fault: z.input<typeof faultSchema>): void;
  clearFaults(): void;
  setLatency(milliseconds: number): void;
  /** The number of calls per token and minute; null means no limit. The default is the cloud's, 300. */
  setRateLimit(requestsPerMinute: number | null): void;
}

/** Starts the simulator on 127.0.0.1. Its functions are also available under `/control/`. */
export async function startContactCentre(options: {
  users: ContactCentreUser[];
  port?: number;
}): Promise<ContactCentre> {
  let users = options.users;
  let faults: z.output<typeof faultSchema>[] = [];
  let latencyMilliseconds = 0;
  let allowedPerMinute: number | null = 300;
  let calls = 0;
  const windows = new Map<string, { startedAt: number; count: number }>();

  async function currentUser(request: LoopbackRequest): Promise<Reply> {
    calls += 1;
    const fault = takeFault();
    if (latencyMilliseconds > 0) await delay(latencyMilliseconds);
    if (fault) return errorReply(fault.status, "injected.fault", "Injected fault", retryAfter(fault));
    const token = /^bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1];
    const user = users.find((known) => known.token === token && known.state !== "deleted");
    if (!token || !user) return errorReply(401, "bad.credentials", "Invalid login credentials.");
    const { headers, exceeded, resetSeconds } = countCall(token);
    if (exceeded) {
      const wait = { ...headers, "retry-after": String(resetSeconds) };
      return errorReply(429, "too.many.requests", "Rate limit exceeded", wait);
    }
    return { status: 200, headers: { ...headers, "inin-correlation-id": randomUUID() }, body: userMe(user) };
  }

  function takeFault(): z.output<typeof faultSchema> | undefined {
    const fault = faults[0];
    if (fault && --fault.count === 0) faults.shift();
    return fault;
  }

  function countCall(token: string) {
    const now = Date.now();
    const current = windows.get(token);
    const window = current && now - current.startedAt < 60_000 ? current : { startedAt: now, count: 0 };
    windows.set(token, window);
    window.count += 1;
    const resetSeconds = Math.ceil((window.startedAt + 60_000 - now) / 1000);
    if (allowedPerMinute === null) return { headers: {}, exceeded: false, resetSeconds };
    const headers = {
      "inin-ratelimit-count": String(window.count),
      "inin-ratelimit-allowed": String(allowedPerMinute),
      "inin-ratelimit-reset": String(resetSeconds),
    };
    return { headers, exceeded: window.count > allowedPerMinute, resetSeconds };
  }

  const actions: Record<string, (input: unknown) => void> = {
    "POST /control/faults": (input) => void faults.push(faultSchema.parse(input)),
    "DELETE /control/faults": () => void (faults = []),
    "POST /control/latency": (input) => void (latencyMilliseconds = latencySchema.parse(input).milliseconds),
    "POST /control/rate-limit": (input) =>
      void (allowedPerMinute = rateLimitSchema.parse(input).requestsPerMinute),
    "POST /control/users": (input) => void (users = z.array(userSchema).parse(input)),
  };

  function answer(request: LoopbackRequest): Answer | Promise<Answer> {
    const route = `${request.method} ${request.url.pathname}`;
    if (route === "GET /api/v2/users/me") return currentUser(request);
    if (route === "GET /control/state") return { status: 200, body: { faults, latencyMilliseconds } };
    if (route === "GET /control/calls") return { status: 200, body: { calls } };
    const action = actions[route];
    if (!action) return { status: 404 };
    action(request.body.length === 0 ? {} : JSON.parse(request.body.toString("utf8")));
    return { status: 204 };
  }

  const server = await startLoopbackServer(answer, options.port);
  return {
    url: server.url,
    stop: server.stop,
    callCount: () => calls,
    setUsers: (replacement) => void (users = replacement),
    failNext: (fault) => void faults.push(faultSchema.parse(fault)),
    clearFaults: () => void (faults = []),
    setLatency: (milliseconds) => void (latencyMilliseconds = milliseconds),
    setRateLimit: (requestsPerMinute) => void (allowedPerMinute = requestsPerMinute),
  };
}

function userMe({ id, name, divisionId, divisionName, state }: ContactCentreUser) {
  const division = {
    id: divisionId,
    name: divisionName,
    selfUri: `/api/v2/authorization/divisions/${divisionId}`,
  };
  const email = `${id}@example.com`;
  return { id, name, division, email, username: email, state, version: 1, selfUri: `/api/v2/users/${id}` };
}

function retryAfter(fault: z.output<typeof faultSchema>): Record<string, string> {
  return fault.retryAfterSeconds === undefined ? {} : { "retry-after": String(fault.retryAfterSeconds) };
}

function errorReply(
  status: number,
  code: string,
  message: string,
  headers: Record<string, string> = {},
): Reply {
  const contextId = randomUUID();
  const body = { message, code, status, contextId, details: [], errors: [] };
  return { status, headers: { ...headers, "inin-correlation-id": contextId }, body };
}
