/** Simulates the contact-centre cloud: its current-user endpoint, with faults on demand. */
import { randomUUID } from "node:crypto";
import { type ContactCentreUser, contactCentreUsers } from "../identities.ts";
import { createFaults, type FaultInput, faultAnswer } from "./faults.ts";
import { type Answer, type LoopbackRequest, type Reply, startLoopbackServer } from "./loopback-server.ts";

/** Starts the simulator on 127.0.0.1. Faults can also be set under `/control/`. */
export async function startContactCentre() {
  let users = contactCentreUsers;
  const faults = createFaults();

  function currentUser({ headers }: LoopbackRequest): Reply {
    const token = /^bearer (.+)$/i.exec(headers.authorization ?? "")?.[1];
    const user = users.find((known) => known.token === token);
    const correlation = { "inin-correlation-id": randomUUID() };
    if (user) return { status: 200, headers: correlation, body: userMe(user) };
    const refusal = { code: "bad.credentials", message: "Invalid login credentials.", status: 401 };
    return { status: 401, headers: correlation, body: { ...refusal, details: [], errors: [] } };
  }

  function answer(request: LoopbackRequest): Answer {
    const route = `${request.method} ${request.url.pathname}`;
    if (route === "GET /api/v2/users/me") {
      const fault = faults.take(request.method, request.url.pathname);
      return fault ? faultAnswer(fault) : currentUser(request);
    }
    if (route === "POST /control/faults") faults.add(JSON.parse(request.body.toString("utf8")));
    else if (route === "DELETE /control/faults") faults.clear();
    else return { status: 404 };
    return { status: 204 };
  }

  const server = await startLoopbackServer(answer);
  return {
    url: server.url,
    stop: server.stop,
    setUsers: (replacement: ContactCentreUser[]) => {
      users = replacement;
    },
    /** Returns this status to the next `count` calls (default 1). */
    failNext: (fault: FaultInput) => faults.add({ count: 1, ...fault }),
    clearFaults: faults.clear,
    /** The number of calls that will fail. */
    faultCount: () => faults.all().reduce((sum, { count = 1 }) => sum + count, 0),
  };
}

function userMe({ id, name, divisionId, divisionName }: ContactCentreUser) {
  const division = { id: divisionId, name: divisionName };
  return { id, name, division, email: `${id}@example.com`, state: "active", selfUri: `/api/v2/users/${id}` };
}
