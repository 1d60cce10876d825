/** Callers that check what they receive: any request, consumers that create rooms, bulk delete, and the event sink. */

import * as z from "zod";
import { clockToleranceMilliseconds } from "../../src/lib/deletion/decisions.ts";
import { failures } from "../../src/lib/errors.ts";
import type { HttpContract } from "../../src/lib/http/contract.ts";
import { isPersistent, parseMarker } from "../../src/lib/ownership/room.ts";
import { encodeServiceTag } from "../../tools/simulators/consumer.ts";
import type { Received } from "../../tools/simulators/exchange.ts";
import { httpFunctions } from "../../tools/simulators/memory/functions.ts";
import type { MemoryRequest } from "../../tools/simulators/memory/gateway.ts";
import type { Task } from "./faults.ts";
import type { Command } from "./history.ts";
import { createdAt } from "./ledger.ts";
import type { Plan } from "./processes.ts";
import { hostPin, tagHost, type World } from "./world.ts";

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
  sent: MemoryRequest,
  plan: Plan,
): Promise<CheckedResponse | undefined> {
  let task: Task | undefined;
  const onStart = (started: Task) => {
    task = started;
  };
  const ending = await world.process(process).request(name, sent, { ...plan, onStart });
  if (ending === "died" || !task) return undefined;
  if ("error" in ending) {
    world.ledger.violated("undocumented-response", `${name} threw ${String(ending.error)}`);
    return undefined;
  }
  return check(world, name, ending.result, task);
}

function check({ ledger }: World, name: string, response: Received, task: Task): CheckedResponse {
  const { status, text, json: body } = response;
  const contract = httpFunctions[name];
  if (!contract) throw new Error(`there is no function ${name}`);
  const by = `#${task.id} ${name}`;
  if (status in contract.responses) {
    const schema = contract.responses[status];
    const isDocumented = schema === null ? body === undefined : schema?.safeParse(body).success === true;
    if (!isDocumented)
      ledger.violated("undocumented-response", `${by} returns ${status} with an undocumented body`);
  } else if (!failureStatuses(contract).has(status)) {
    ledger.violated("undocumented-response", `${by} returns ${status}`);
  }
  if (text.includes(hostPin)) ledger.violated("secret-exposed", `${by} returns the host PIN`);
  return { status, body, task };
}

/** The documented failures. All callers here are authenticated, so 401 and 403 are not among them. */
function failureStatuses({ failures: codes, query, body }: HttpContract): ReadonlySet<number> {
  const statuses = new Set<number>(codes.map((code) => failures[code].status));
  if (query ?? body) statuses.add(failures["invalid-request"].status);
  return statuses;
}

const Created = z.object({ name: z.string(), tag: z.string() });

type Create = Extract<Command, { kind: "create" }>;

/** Creates a room, and retries with the same idempotency key if the command says so. */
export function createRoom(world: World, create: Create, process: number, plan: Plan): void {
  const { clock, newId } = world;
  const tag = create.hasTag ? `https://${tagHost}/s/${newId()}` : undefined;
  const key = create.repeatAfterSeconds && newId();
  const caller: Caller = { tag, key };
  void requestRoom(world, caller, process, plan);
  for (const [index, seconds] of (create.repeatAfterSeconds ?? []).entries())
    clock.after(
      seconds * 1000,
      () => void requestRoom(world, caller, (process + index + 1) % 2, world.planWithoutFaults()),
    );
}

export interface Caller {
  readonly tag: string | undefined;
  readonly key: string | undefined;
}

/** Creates a room once and checks the response. */
export async function requestRoom(world: World, caller: Caller, process: number, plan: Plan): Promise<void> {
  const { tag, key } = caller;
  const query = tag === undefined ? {} : { uuiData: encodeServiceTag(tag) };
  const headers = key === undefined ? {} : { "idempotency-key": key };
  const response = await request(world, process, "createRoomFromQueue", { query, headers }, plan);
  if (response?.status === 200) checkHandOut(world, caller, response);
}

/** Checks that no other caller has the room, and that a repeated key gives the same room. */
function checkHandOut(
  { ledger, platform, clock, readyDelaySeconds }: World,
  { tag, key }: Caller,
  { body, task }: CheckedResponse,
): void {
  const room = Created.parse(body);
  const { name } = room;
  const isWrong = (what: string) =>
    ledger.violated("handed-out-twice", `#${task.id} received ${name}, ${what}`);
  const first = key === undefined ? undefined : ledger.roomsByKey.get(key);
  if (first !== undefined && first !== name)
    ledger.violated("repeated-create-differs", `#${task.id} received ${name}, its first request ${first}`);
  if (first === name) return;
  if (key !== undefined) ledger.roomsByKey.set(key, name);
  const other = ledger.handedOut.get(name);
  if (other) isWrong(`like #${other.id}`);
  ledger.handedOut.set(name, task);
  const writer = ledger.tagWriters.get(name);
  // A PATCH that meets a create may change the tag before a repeated create reads it.
  if (tag !== undefined && room.tag !== tag && writer !== "other")
    isWrong("with another service tag in the response");
  // The claim of a retried request is the one whose response was lost.
  const committer = ledger.committedBy.get(name) ?? ledger.clearedBeforeCommit.get(name);
  if (key === undefined ? committer !== task : !committer) isWrong("whose message it has not deleted");
  if (ledger.deletedAsFree.has(name) && !ledger.clearedBeforeCommit.has(name))
    isWrong("which bulk delete has deleted");
  const row = platform.find(name);
  if (!row) {
    if (!ledger.removed.has(name)) isWrong("which no longer exists");
    return;
  }
  const ageSeconds = (clock.now() - createdAt(row)) / 1000;
  if (ledger.provisioned.has(name) && ageSeconds < readyDelaySeconds)
    ledger.violated("handed-out-too-early", `#${task.id} received ${name}, which is ${ageSeconds} s old`);
  const isOwnWriter = writer === task || (key !== undefined && writer !== "other");
  if (writer && writer !== "other" && !isOwnWriter) isWrong(`with the tag of #${writer.id}`);
  if (tag !== undefined && writer === task && row.tag !== tag)
    isWrong("which has another tag on the platform");
  if (tag !== undefined && writer === undefined) isWrong("whose tag was never written");
}

/** Deletes all rooms. A 204 promises that no room is left that existed when its first list was
 * requested, except one that was handed out since. */
export async function deleteAllRooms(world: World, process: number, plan: Plan): Promise<void> {
  const response = await request(world, process, "bulkDeleteRooms", {}, plan);
  if (response?.status !== 204) return;
  for (const room of world.ledger.ourRooms()) {
    const { name, description } = room;
    if (
      // A claim may hold the name of an unmarked room, which bulk delete then leaves to that claim.
      parseMarker(description) !== undefined &&
      createdAt(room) < response.task.firstListAt &&
      // A list can miss a room that moves to another page; then the time of its claim decides, with the tolerance.
      (world.ledger.assignedAt.get(name) ?? 0) <
        response.task.startedAt - clockToleranceMilliseconds - world.ledger.skewMilliseconds &&
      !isPersistent(name)
    )
      world.ledger.violated(
        "bulk-delete-incomplete",
        `#${response.task.id} received 204 although ${name} is left`,
      );
  }
}

const maxDeliveries = 4;
const redeliverySeconds = 30;

/** Posts `conference_ended` for the names and retries until it is accepted, as the platform does. */
export async function deliverEnds(
  world: World,
  names: readonly string[],
  process: number,
  plan: Plan,
): Promise<void> {
  for (const name of names) world.ledger.mayBeDeleted.add(name);
  await deliver(world, { names, process, sentAt: world.clock.now(), seq: world.newNumber() }, plan, 1);
}

interface Delivery {
  readonly names: readonly string[];
  readonly process: number;
  readonly sentAt: number;
  readonly seq: number;
}

async function deliver(world: World, ends: Delivery, plan: Plan, attempt: number): Promise<void> {
  const { ledger, clock } = world;
  const { names, process, sentAt, seq } = ends;
  const events = names.map((name, index) => ({
    node: "10.0.0.21",
    seq: seq * 100 + index,
    event: "conference_ended",
    data: { name, service_type: "conference" },
  }));
  const json = events.length === 1 ? events[0] : { event: "eventsink_bulk", data: events };
  const response = await request(world, process, "eventSink", { json }, plan);
  if (response?.status === 204) {
    for (const name of names) {
      // An earlier delivery of the same body may have stored it.
      if (!((ledger.queuedForDeletionAt.get(name) ?? 0) >= sentAt))
        ledger.violated("event-lost", `#${response.task.id} received 204, but ${name} was not stored`);
      ledger.ended.set(name, clock.now());
    }
  } else if (attempt < maxDeliveries) {
    const retry = () => void deliver(world, ends, world.planWithoutFaults(), attempt + 1);
    clock.after(redeliverySeconds * 1000, retry);
  }
}
