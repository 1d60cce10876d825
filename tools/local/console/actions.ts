/** The console's actions. Each is one HTTP request, which the server sends and the page shows as `curl`. */
import type { Addresses } from "./console-state.ts";

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly initial: string;
  /** The type of the input. A field with options is a selection. */
  readonly type?: "text" | "number";
  readonly options?: readonly (readonly [value: string, label: string])[];
}

export interface ActionRequest {
  readonly method: string;
  readonly url: string;
  readonly identity: Action["as"];
  readonly json: unknown;
}

export type Values = Readonly<Record<string, string>>;

export interface Action {
  readonly id: string;
  readonly label: string;
  /** The server that is called. */
  readonly at: "gateway" | "platformControl" | "token" | "contactCentre";
  /** Method and path, in which `{room}` is the name of the chosen room. */
  readonly call: string;
  /** The credentials of the request: the consumer's bearer token, or the agent's token. */
  readonly as?: "consumer" | "agent";
  readonly fields?: readonly Field[];
  readonly query?: (values: Values) => string;
  readonly body?: (values: Values) => unknown;
  /** What is shown instead of the response's body if the request succeeds. */
  readonly done?: string;
  /** The question that a second click confirms, because the action cannot be undone. `rooms` is the number of rooms. */
  readonly confirm?: (rooms: number) => string;
}

export interface ActionGroup {
  readonly title: string;
  readonly actions: readonly Action[];
}

/** A selection whose first option is the initial one. */
function choice(name: string, label: string, options: NonNullable<Field["options"]>): Field {
  return { name, label, initial: options[0]?.[0] ?? "", options };
}

const text = (name: string, label: string, initial: string): Field => ({ name, label, initial });
const number = (name: string, label: string, initial: string): Field => ({
  name,
  label,
  initial,
  type: "number",
});
/** Each is on a node of its own. */
const nodes: Values = { Citizen: "10.0.0.21", Agent: "10.0.0.22" };
const participants = choice("participant", "Who", [
  ["Citizen", "Citizen"],
  ["Agent", "Agent"],
]);
const outage = choice("mode", "How", [
  ["refuse", "refuses connections"],
  ["reset", "resets connections"],
  ["503", "responds with 503"],
]);
const platformFault = choice("fault", "Fault", [
  ["429", "429 too many requests"],
  ["500-before", "500 before the commit"],
  ["500-after", "500 after the commit"],
  ["timeout-before", "timeout before the commit"],
  ["timeout-after", "timeout after the commit"],
]);

function faultOf({ fault = "429", calls: count = "1" }: Values): object {
  const [kind, when = "before"] = fault.split("-");
  const plan = { when, count: Number(count) };
  return kind === "timeout" ? { kind, ...plan } : { kind: "status", status: Number(kind), ...plan };
}

const on = (at: Action["at"]) => (id: string, label: string, call: string) => ({ at, id, label, call });
const gateway = on("gateway");
const platform = on("platformControl");
const issuer = on("token");
const contactCentre = on("contactCentre");

export const actionGroups: readonly ActionGroup[] = [
  {
    title: "Rooms",
    actions: [
      {
        ...gateway("create", "Create a room", "POST /room/create"),
        as: "consumer",
        fields: [text("tag", "Service tag", "https://verify.example.com/sessions/4711")],
        query: ({ tag = "" }) => (tag === "" ? "" : `?uuiData=${toHex(tag)};encoding=hex`),
      },
      { ...gateway("read", "Read it as an agent", "GET /public/room/{room}"), as: "agent" },
      {
        ...gateway("delete", "Delete it", "DELETE /room/{room}"),
        as: "consumer",
        confirm: () => "Delete 1 room?",
      },
    ],
  },
  {
    title: "Conference",
    actions: [
      {
        ...platform("join", "Join", "POST /control/conferences/join"),
        done: "The participant has joined.",
        fields: [participants],
        body: ({ room, participant = "" }) => ({ name: room, participant, node: nodes[participant] }),
      },
      {
        ...platform("leave", "Leave", "POST /control/conferences/leave"),
        done: "The participant has left.",
        fields: [participants],
        body: ({ room, participant }) => ({ name: room, participant }),
      },
    ],
  },
  {
    title: "Pool and timers",
    actions: [
      { ...gateway("fill", "Fill the pool", "POST /room/bulk/"), as: "consumer" },
      {
        ...gateway("empty", "Delete all rooms", "DELETE /room/bulk/"),
        as: "consumer",
        confirm: (rooms) => `Delete ${rooms} rooms?`,
      },
      gateway("collectGarbage", "Collect garbage", "POST /admin/functions/collectGarbage"),
      gateway("collectMetrics", "Collect metrics", "POST /admin/functions/collectMetrics"),
    ],
  },
  {
    title: "Platform",
    actions: [
      {
        ...platform("down", "Take it down", "POST /control/down"),
        fields: [outage],
        body: ({ mode }) => ({ mode }),
      },
      platform("up", "Bring it up", "POST /control/up"),
      {
        ...platform("slow", "Slow it down", "POST /control/latency"),
        fields: [number("milliseconds", "Milliseconds", "2000")],
        body: ({ milliseconds }) => ({ milliseconds: Number(milliseconds) }),
      },
      {
        ...platform("fast", "Make it fast again", "POST /control/latency"),
        body: () => ({ milliseconds: 0 }),
      },
      {
        ...platform("fail", "Make calls fail", "POST /control/faults"),
        fields: [platformFault, number("calls", "Calls", "1")],
        body: faultOf,
      },
      platform("heal", "Clear all faults", "DELETE /control/faults"),
      {
        ...platform("alarm", "Raise an alarm", "POST /control/alarms"),
        fields: [text("name", "Name", "connectivity_lost")],
        body: ({ name }) => ({ name, level: "error" }),
      },
      platform("calm", "Clear all alarms", "DELETE /control/alarms"),
    ],
  },
  {
    title: "Contact centre and token issuer",
    actions: [
      {
        ...contactCentre("contactCentreFails", "Contact centre fails", "POST /control/faults"),
        fields: [number("calls", "Calls", "5")],
        body: ({ calls }) => ({ status: 503, count: Number(calls) }),
      },
      contactCentre("contactCentreHeals", "Contact centre recovers", "DELETE /control/faults"),
      issuer("issuerDown", "Token issuer fails", "POST /control/down"),
      issuer("issuerUp", "Token issuer recovers", "POST /control/up"),
      issuer("rotate", "Token issuer changes its key", "POST /control/keys/rotate"),
    ],
  },
];

export const actions: readonly Action[] = actionGroups.flatMap((group) => group.actions);

/** Whether the request is about the chosen room, whose name is the value `room`. */
export function needsRoom({ call }: Action): boolean {
  return call.includes("{room}") || call.includes("/conferences/");
}

export function requestOf(action: Action, values: Values, addresses: Addresses): ActionRequest {
  const { at, call, as, query, body } = action;
  const [method = "", path = ""] = call.split(" ");
  const url =
    new URL(addresses[at]).origin + path.replace("{room}", encodeURIComponent(values["room"] ?? ""));
  const json = body?.(values) ?? (method === "POST" && as === undefined ? {} : undefined);
  return { method, url: `${url}${query?.(values) ?? ""}`, identity: as, json };
}

/** Returns the request as lines for a POSIX shell. The first one gets a token if the request needs one. */
export function toCurl(
  { method, url, identity, json }: ActionRequest,
  { tokenLine, agentToken }: Addresses,
): string {
  const identities = {
    consumer: `-H "Authorization: Bearer $TOKEN"`,
    agent: `-H ${quote(`x-auth-token: ${agentToken}`)}`,
  };
  const request = [
    "curl -i",
    ...(method === "GET" ? [] : [`-X ${method}`]),
    ...(identity === undefined ? [] : [identities[identity]]),
    ...(json === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d ${quote(JSON.stringify(json))}`]),
    quote(url),
  ].join(" ");
  return identity === "consumer" ? `${tokenLine}\n${request}` : request;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Returns the octets of a text in UTF-8 as hexadecimal digits. */
function toHex(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
