/** Sends one request to a process and checks the response against the function's contract. */
import { HttpRequest, type HttpResponseInit } from "@azure/functions";
import { statusOf } from "../../src/lib/errors.ts";
import type { HttpContract } from "../../src/lib/http/contract.ts";
import { httpFunctions } from "./functions.ts";
import { hostPin, type Plan } from "./processes.ts";
import type { Task } from "./task.ts";
import type { World } from "./world.ts";

export interface RequestParts {
  readonly roomName?: string;
  readonly query?: Record<string, string>;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

export interface CheckedResponse {
  readonly status: number;
  /** The parsed JSON body. */
  readonly body: unknown;
  readonly task: Task;
}

/** Returns the response, or undefined if the process died before it responded. */
export async function request(
  world: World,
  process: number,
  name: string,
  { roomName, query = {}, headers = {}, body }: RequestParts,
  plan: Plan,
): Promise<CheckedResponse | undefined> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const httpRequest = new HttpRequest({
    method: contractOf(name).method,
    url: `https://gateway.example.com/?${new URLSearchParams(query).toString()}`,
    params: roomName === undefined ? {} : { room_name: roomName },
    headers: {
      "content-type": "application/json",
      ...(text && { "content-length": String(text.length) }),
      ...headers,
    },
    ...(text !== undefined && { body: { string: text } }),
  });
  let task: Task | undefined;
  const onStart = (started: Task) => {
    task = started;
  };
  const ending = await world.process(process).request(name, httpRequest, { ...plan, onStart });
  if (ending === "died" || !task) return undefined;
  if ("error" in ending) {
    world.ledger.violated("undocumented-response", `${name} threw ${String(ending.error)}`);
    return undefined;
  }
  return check(world, name, ending.result, task);
}

function contractOf(name: string): HttpContract {
  const contract = httpFunctions[name];
  if (!contract) throw new Error(`there is no function ${name}`);
  return contract;
}

function check({ ledger }: World, name: string, response: HttpResponseInit, task: Task): CheckedResponse {
  const contract = contractOf(name);
  const { status = 200 } = response;
  const text = typeof response.body === "string" ? response.body : "";
  const body: unknown = text === "" ? undefined : JSON.parse(text);
  const by = `#${task.id} ${name}`;
  if (status in contract.responses) {
    const schema = contract.responses[status];
    const isDocumented = schema === null ? body === undefined : schema?.safeParse(body).success === true;
    if (!isDocumented)
      ledger.violated("undocumented-response", `${by} returns ${status} with an undocumented body`);
  } else if (!failureStatuses(contract).has(status)) {
    ledger.violated("undocumented-response", `${by} returns ${status}`);
  }
  const mayShowHostPin = name === "getRoom" || name === "listRooms";
  if (!mayShowHostPin && text.includes(hostPin))
    ledger.violated("secret-exposed", `${by} returns the host PIN`);
  return { status, body, task };
}

/** The documented failures. All callers here are authenticated, so 401 and 403 are not among them. */
function failureStatuses({ failures, query, body }: HttpContract): ReadonlySet<number> {
  const statuses = new Set(failures.map(statusOf));
  if (query ?? body) statuses.add(statusOf("invalid-request"));
  return statuses;
}
