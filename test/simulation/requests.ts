/** Sends one request to a process and checks its answer against what the function's contract documents. */
import { HttpRequest, type HttpResponseInit } from "@azure/functions";
import { statusOf } from "../../src/lib/errors.ts";
import type { HttpContract } from "../../src/lib/http/contract.ts";
import { type HttpFunctionName, httpFunctions } from "./functions.ts";
import { hostPin, type Plan } from "./processes.ts";
import type { Task } from "./task.ts";
import type { World } from "./world.ts";

export interface RequestParts {
  readonly roomName?: string;
  readonly query?: Record<string, string>;
  readonly body?: unknown;
}

export interface CheckedAnswer {
  readonly status: number;
  /** The parsed JSON body. */
  readonly body: unknown;
  readonly task: Task;
}

/** The answer, or undefined when the process died before it gave one. */
export async function request(
  world: World,
  process: number,
  name: HttpFunctionName,
  { roomName, query = {}, body }: RequestParts,
  plan: Plan,
): Promise<CheckedAnswer | undefined> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const httpRequest = new HttpRequest({
    method: httpFunctions[name].method,
    url: "https://gateway.example.com/",
    query,
    params: roomName === undefined ? {} : { room_name: roomName },
    headers: { "content-type": "application/json", ...(text && { "content-length": String(text.length) }) },
    ...(text !== undefined && { body: { string: text } }),
  });
  let task: Task | undefined;
  const onStart = (started: Task) => {
    task = started;
  };
  const ending = await world.process(process).request(name, httpRequest, { ...plan, onStart });
  if (ending === "died" || !task) return undefined;
  if ("error" in ending) {
    world.ledger.violated("I10", `${name} threw ${String(ending.error)}`);
    return undefined;
  }
  return check(world, name, ending.result, task);
}

function check(
  { ledger }: World,
  name: HttpFunctionName,
  answer: HttpResponseInit,
  task: Task,
): CheckedAnswer {
  const contract: HttpContract = httpFunctions[name];
  const { status = 200 } = answer;
  const text = typeof answer.body === "string" ? answer.body : "";
  const body: unknown = text === "" ? undefined : JSON.parse(text);
  const by = `#${task.id} ${name}`;
  if (status in contract.responses) {
    const schema = contract.responses[status];
    const isDocumented = schema === null ? body === undefined : schema?.safeParse(body).success === true;
    if (!isDocumented) ledger.violated("I10", `${by} answers ${status} with an undocumented body`);
  } else if (!failureStatuses(contract).has(status)) {
    ledger.violated("I10", `${by} answers ${status}`);
  }
  const mayShowHostPin = name === "getRoom" || name === "listRooms";
  if (!mayShowHostPin && text.includes(hostPin)) ledger.violated("G7", `${by} answers with the host PIN`);
  return { status, body, task };
}

/** Every caller here is who it says it is, so that nothing may answer 401 or 403. */
function failureStatuses({ failures, query, body }: HttpContract): ReadonlySet<number> {
  const statuses = new Set(failures.map(statusOf));
  if (query ?? body) statuses.add(statusOf("invalid-request"));
  return statuses;
}
