/** The console's actions. Each is one HTTP request, which the page sends through its server and shows as `curl`. */
import type { Addresses } from "./console-state.ts";

/** Adds its value to the body: a text, a number if it is initially one, or what the chosen option says. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly initial: string | number;
  /** What each option of a selection adds to the body. */
  readonly options?: Readonly<Record<string, object>>;
}

/** What is typed or chosen in the fields, and the name of the chosen room as `room`. */
export type Values = Readonly<Record<string, string>>;

export interface Action {
  readonly id: string;
  readonly label: string;
  /** The server that is called. */
  readonly at: "gateway" | "platform" | "issuer" | "contactCentre";
  readonly method: string;
  /** In which `{room}` is the name of the chosen room. */
  readonly path: string;
  /** The credentials of the request: the consumer's bearer token, or the agent's token. */
  readonly as?: "consumer" | "agent";
  readonly fields?: readonly Field[];
  /** What the body has besides the fields. Only a POST without credentials has a body. */
  readonly body?: object;
  /** What is shown instead of the response's body if the request succeeds. */
  readonly done?: string;
  /** The question that a second click confirms, because the action cannot be undone. `rooms` is the number of rooms. */
  readonly confirm?: (rooms: number) => string;
}

/** A selection whose first option is the initial one. */
function choice(name: string, label: string, options: NonNullable<Field["options"]>): Field {
  return { name, label, initial: Object.keys(options)[0] ?? "", options };
}

const tag = { name: "tag", label: "Service tag", initial: "https://verify.example.com/sessions/4711" };
// Each is on a node of its own.
const joining = choice("who", "Who", {
  Citizen: { participant: "Citizen", node: "10.0.0.21" },
  Agent: { participant: "Agent", node: "10.0.0.22" },
});
const leaving = choice("who", "Who", {
  Citizen: { participant: "Citizen" },
  Agent: { participant: "Agent" },
});
const outage = choice("how", "How", {
  "refuses connections": { mode: "refuse" },
  "resets connections": { mode: "reset" },
  "responds with 503": { mode: "503" },
});
const fault = choice("fault", "Fault", {
  "429 too many requests": { kind: "status", status: 429 },
  "500 before the commit": { kind: "status", status: 500 },
  "500 after the commit": { kind: "status", status: 500, when: "after" },
  "timeout before the commit": { kind: "timeout" },
  "timeout after the commit": { kind: "timeout", when: "after" },
});
const calls = (initial: number): Field => ({ name: "count", label: "Calls", initial });
const latency = { name: "milliseconds", label: "Milliseconds", initial: 2000 };
const alarm = { name: "name", label: "Name", initial: "connectivity_lost" };

/** A row of the table: `call` is the server, the method and the path. */
function action(id: string, label: string, call: string, details: Partial<Action> = {}): Action {
  const [at = "", method = "", path = ""] = call.split(" ");
  return { id, label, at: at as Action["at"], method, path, ...details };
}

export const actionGroups: Readonly<Record<string, readonly Action[]>> = {
  Rooms: [
    action("create", "Create a room", "gateway POST /room/create", { as: "consumer", fields: [tag] }),
    action("read", "Read it as an agent", "gateway GET /public/room/{room}", { as: "agent" }),
    action("delete", "Delete it", "gateway DELETE /room/{room}", {
      as: "consumer",
      confirm: () => "Delete 1 room?",
    }),
  ],
  Conference: [
    action("join", "Join", "platform POST /control/conferences/join", {
      fields: [joining],
      done: "The participant has joined.",
    }),
    action("leave", "Leave", "platform POST /control/conferences/leave", {
      fields: [leaving],
      done: "The participant has left.",
    }),
  ],
  "Pool and timers": [
    action("fill", "Fill the pool", "gateway POST /room/bulk/", { as: "consumer" }),
    action("empty", "Delete all rooms", "gateway DELETE /room/bulk/", {
      as: "consumer",
      confirm: (rooms) => `Delete ${rooms} rooms?`,
    }),
    action("collectGarbage", "Collect garbage", "gateway POST /admin/functions/collectGarbage"),
    action("collectMetrics", "Collect metrics", "gateway POST /admin/functions/collectMetrics"),
  ],
  Platform: [
    action("down", "Take it down", "platform POST /control/down", { fields: [outage] }),
    action("up", "Bring it up", "platform POST /control/up"),
    action("slow", "Slow it down", "platform POST /control/latency", { fields: [latency] }),
    action("fast", "Make it fast again", "platform POST /control/latency", { body: { milliseconds: 0 } }),
    action("fail", "Make calls fail", "platform POST /control/faults", { fields: [fault, calls(1)] }),
    action("heal", "Clear all faults", "platform DELETE /control/faults"),
    action("alarm", "Raise an alarm", "platform POST /control/alarms", {
      fields: [alarm],
      body: { level: "error" },
    }),
    action("calm", "Clear all alarms", "platform DELETE /control/alarms"),
  ],
  "Contact centre and token issuer": [
    action("contactCentreFails", "Contact centre fails", "contactCentre POST /control/faults", {
      fields: [calls(5)],
      body: { status: 503 },
    }),
    action("contactCentreHeals", "Contact centre recovers", "contactCentre DELETE /control/faults"),
    action("issuerDown", "Token issuer fails", "issuer POST /control/down"),
    action("issuerUp", "Token issuer recovers", "issuer POST /control/up"),
    action("rotate", "Token issuer changes its key", "issuer POST /control/keys/rotate"),
  ],
};

export const actions: readonly Action[] = Object.values(actionGroups).flat();

/** Whether the request is about the chosen room. */
export function needsRoom({ path }: Action): boolean {
  return path.includes("{room}") || path.includes("/conferences/");
}

/** Returns the path with its query, and the body, which is undefined if there is none. */
export function requestOf(action: Action, values: Values) {
  const { room = "", tag: tagText = "" } = values;
  const query = tagText === "" ? "" : `?uuiData=${toHex(tagText)};encoding=hex`;
  const path = action.path.replace("{room}", encodeURIComponent(room)) + query;
  if (action.method !== "POST" || action.as !== undefined) return { path, body: undefined };
  const added = (action.fields ?? []).map(({ name, initial, options }) => {
    const value = values[name] ?? "";
    return options?.[value] ?? { [name]: typeof initial === "number" ? Number(value) : value };
  });
  const body = Object.assign({}, action.body, needsRoom(action) && { name: room }, ...added);
  return { path, body: JSON.stringify(body) };
}

/** Returns the request as lines for a POSIX shell. The first one gets a token if the request needs one. */
export function toCurl(action: Action, values: Values, addresses: Addresses): string {
  const { path, body } = requestOf(action, values);
  const headers = {
    consumer: `-H "Authorization: Bearer $TOKEN"`,
    agent: `-H ${quote(`x-auth-token: ${addresses.agentToken}`)}`,
  };
  const request = [
    "curl -i",
    ...(action.method === "GET" ? [] : [`-X ${action.method}`]),
    ...(action.as === undefined ? [] : [headers[action.as]]),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${quote(body)}`]),
    quote(addresses[action.at] + path),
  ].join(" ");
  return action.as === "consumer" ? `${addresses.tokenLine}\n${request}` : request;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Returns the octets of a text in UTF-8 as hexadecimal digits. */
function toHex(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
