/** Simulates the contact-centre cloud: its current-user endpoint, with faults on demand. */
import { randomUUID } from "node:crypto";
import * as z from "zod";
import { type Answer, type LoopbackRequest, type Reply, startLoopbackServer } from "./loopback-server.ts";

export interface ContactCentreUser {
  readonly token: string;
  readonly id: string;
  readonly name: string;
  readonly divisionId: string;
  readonly divisionName: string;
  readonly state: "active" | "inactive" | "deleted";
}

const faultSchema = z.object({
  status: z.int().min(400).max(599),
  count: z.int().min(1).default(1),
  retryAfterSeconds: z.int().min(0).optional(),
});

/** Starts the simulator on 127.0.0.1. Faults can also be set under `/control/`. */
export async function startContactCentre(options: { users: ContactCentreUser[] }) {
  let { users } = options;
  let faults: z.output<typeof faultSchema>[] = [];
  let calls = 0;

  function currentUser(request: LoopbackRequest): Reply {
    calls += 1;
    const fault = takeFault();
    if (fault) return errorReply(fault.status, "injected.fault", "Injected fault", retryAfter(fault));
    const token = /^bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1];
    const user = users.find((known) => known.token === token && known.state !== "deleted");
    if (!token || !user) return errorReply(401, "bad.credentials", "Invalid login credentials.");
    return { status: 200, headers: { "inin-correlation-id": randomUUID() }, body: userMe(user) };
  }

  function takeFault(): z.output<typeof faultSchema> | undefined {
    const fault = faults[0];
    if (fault && --fault.count === 0) faults.shift();
    return fault;
  }

  const failNext = (fault: unknown) => void faults.push(faultSchema.parse(fault));
  const clearFaults = () => void (faults = []);

  function answer(request: LoopbackRequest): Answer {
    const route = `${request.method} ${request.url.pathname}`;
    if (route === "GET /api/v2/users/me") return currentUser(request);
    if (route === "GET /control/state") return { status: 200, body: { faults } };
    if (route === "POST /control/faults") failNext(JSON.parse(request.body.toString("utf8")));
    else if (route === "DELETE /control/faults") clearFaults();
    else return { status: 404 };
    return { status: 204 };
  }

  const server = await startLoopbackServer(answer);
  return {
    url: server.url,
    stop: server.stop,
    /** The number of calls to the current-user endpoint, including refused ones. */
    callCount: () => calls,
    setUsers: (replacement: ContactCentreUser[]) => void (users = replacement),
    /** Returns this status to the next `count` calls (default 1). */
    failNext: (fault: z.input<typeof faultSchema>) => failNext(fault),
    clearFaults,
    /** The number of calls that will fail. */
    faultCount: () => faults.reduce((sum, { count }) => sum + count, 0),
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
