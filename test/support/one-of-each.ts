/** One valid request of each operation of the API document, all at once. */
import type { Received, Sent } from "../../tools/simulators/exchange.ts";
import { type Operation, operations } from "./api-operations.ts";
import { asAgent, asEventSink } from "./credentials.ts";
import type { RunningGateway } from "./running-gateway.ts";

/** A request as it is sent: a target such as `/room/list`, with its headers and its body. */
export interface Request extends Sent {
  readonly target: string;
}

/** Requests that are not for "a-room", because all of them are sent at once. */
const targets: Readonly<Record<string, string>> = {
  "DELETE /room/{room_name}": "/room/b-room",
  "POST /room/bulk/": "/room/bulk/?max_vmr=1",
};
const bodies: Readonly<Record<string, unknown>> = {
  "PATCH /room/{room_name}": { participant_limit: 5 },
  "POST /public/event_sink": { event: "conference_ended", data: { name: "c-room" } },
};

/** Adds the rooms that the requests are about, and two rooms to the pool. */
export async function addRoomsOfRequests({ addRoom, queues }: RunningGateway): Promise<void> {
  for (const name of ["a-room", "b-room", "c-room"]) addRoom(name);
  for (const name of ["pooled-1", "pooled-2"]) {
    addRoom(name);
    await queues.pool.put(name);
  }
}

/** Sends the requests as `change` returns them, bulk delete last, because it deletes the rooms. */
export async function sendOneOfEach(
  gateway: RunningGateway,
  change: (request: Request, operation: Operation) => Request,
): Promise<[Operation, Received][]> {
  const credentials: Readonly<Record<string, Request["headers"]>> = {
    bearerToken: gateway.asApplication(),
    agentToken: asAgent,
    eventSinkCredentials: asEventSink(),
  };
  const send = async (operation: Operation): Promise<[Operation, Received]> => {
    const { name, method, path, hasBody, security = "" } = operation;
    const valid = {
      target: targets[name] ?? path.replace("{room_name}", "a-room"),
      headers: credentials[security] ?? {},
      ...(hasBody && { json: bodies[name] }),
    };
    const { target, ...changed } = change(valid, operation);
    return [operation, await gateway.send(`${method} ${target}`, changed)];
  };
  const isLast = ({ name }: Operation) => name === "DELETE /room/bulk/";
  const first = await Promise.all(operations.filter((operation) => !isLast(operation)).map(send));
  return [...first, ...(await Promise.all(operations.filter(isLast).map(send)))];
}
