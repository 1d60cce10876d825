/** The console's actions. Each is one HTTP request, which the page sends through its server and shows as `curl`. */

/** The URLs that actions call, and the made-up credentials for them. */
export interface Addresses {
  readonly gateway: string;
  readonly platform: string;
  readonly issuer: string;
  readonly contactCentre: string;
  /** The line of a shell that gets a consumer's token. */
  readonly tokenLine: string;
  readonly agentToken: string;
}

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
  /** The default is POST. */
  readonly method?: "GET" | "DELETE";
  /** In which `{room}` is the name of the chosen room. */
  readonly path: `/${string}`;
  /** The credentials of the request: the consumer's bearer token, or the agent's token. */
  readonly as?: "consumer" | "agent";
  readonly fields?: readonly Field[];
  /** What the body has besides the fields. Only a POST without credentials has a body. */
  readonly body?: object;
}

/** A selection whose first option is the initial one. */
function choice(name: string, label: string, options: NonNullable<Field["options"]>): Field {
  return { name, label, initial: Object.keys(options)[0] ?? "", options };
}

const tag = { name: "tag", label: "Service tag", initial: "https://verify.example.com/sessions/4711" };
const who = choice("who", "Who", {
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
const latency = { name: "milliseconds", label: "Milliseconds (0 for none)", initial: 2000 };
const alarm = { name: "name", label: "Name", initial: "connectivity_lost" };

export const actionGroups: Readonly<Record<string, readonly Action[]>> = {
  Rooms: [
    {
      id: "create",
      label: "Create a room",
      at: "gateway",
      path: "/room/create",
      as: "consumer",
      fields: [tag],
    },
    {
      id: "read",
      label: "Read it as an agent",
      at: "gateway",
      method: "GET",
      path: "/public/room/{room}",
      as: "agent",
    },
    {
      id: "delete",
      label: "Delete it",
      at: "gateway",
      method: "DELETE",
      path: "/room/{room}",
      as: "consumer",
    },
  ],
  Conference: [
    { id: "join", label: "Join", at: "platform", path: "/control/conferences/join", fields: [who] },
    { id: "leave", label: "Leave", at: "platform", path: "/control/conferences/leave", fields: [who] },
  ],
  "Pool and timers": [
    { id: "fill", label: "Fill the pool", at: "gateway", path: "/room/bulk/", as: "consumer" },
    {
      id: "empty",
      label: "Delete all rooms",
      at: "gateway",
      method: "DELETE",
      path: "/room/bulk/",
      as: "consumer",
    },
    { id: "collect", label: "Collect garbage", at: "gateway", path: "/admin/functions/collectGarbage" },
    { id: "measure", label: "Collect metrics", at: "gateway", path: "/admin/functions/collectMetrics" },
  ],
  Platform: [
    { id: "down", label: "Take it down", at: "platform", path: "/control/down", fields: [outage] },
    { id: "up", label: "Bring it up", at: "platform", path: "/control/up" },
    { id: "slow", label: "Slow it down", at: "platform", path: "/control/latency", fields: [latency] },
    {
      id: "fail",
      label: "Make calls fail",
      at: "platform",
      path: "/control/faults",
      fields: [fault, calls(1)],
    },
    { id: "heal", label: "Clear all faults", at: "platform", method: "DELETE", path: "/control/faults" },
    { id: "alarm", label: "Raise an alarm", at: "platform", path: "/control/alarms", fields: [alarm] },
    { id: "calm", label: "Clear all alarms", at: "platform", method: "DELETE", path: "/control/alarms" },
  ],
  "Contact centre and token issuer": [
    {
      id: "contactCentreFails",
      label: "Contact centre fails",
      at: "contactCentre",
      path: "/control/faults",
      fields: [calls(5)],
      body: { status: 503 },
    },
    {
      id: "contactCentreHeals",
      label: "Contact centre recovers",
      at: "contactCentre",
      method: "DELETE",
      path: "/control/faults",
    },
    { id: "issuerDown", label: "Token issuer fails", at: "issuer", path: "/control/down" },
    { id: "issuerUp", label: "Token issuer recovers", at: "issuer", path: "/control/up" },
    { id: "rotate", label: "Token issuer changes its key", at: "issuer", path: "/control/keys/rotate" },
  ],
};

export const actions: readonly Action[] = Object.values(actionGroups).flat();

/** Whether the request is about the chosen room. */
export function needsRoom({ path }: Action): boolean {
  return path.includes("{room}") || path.includes("/conferences/");
}

/** Returns the method, the path with its query, and the body, which is undefined if there is none. */
export function requestOf(action: Action, values: Values) {
  const { method = "POST", fields = [], as } = action;
  const { room = "", tag: tagText = "" } = values;
  const query = tagText === "" ? "" : `?uuiData=${toHex(tagText)};encoding=hex`;
  const path = action.path.replace("{room}", encodeURIComponent(room)) + query;
  if (method !== "POST" || as !== undefined) return { method, path, body: undefined };
  const added = fields.map(({ name, initial, options }) => {
    const value = values[name] ?? "";
    return options?.[value] ?? { [name]: typeof initial === "number" ? Number(value) : value };
  });
  const body = Object.assign({}, action.body, needsRoom(action) && { name: room }, ...added);
  return { method, path, body: JSON.stringify(body) };
}

/** Returns the request as lines for a POSIX shell. The first one gets a token if the request needs one. */
export function toCurl(action: Action, values: Values, addresses: Addresses): string {
  const { method, path, body } = requestOf(action, values);
  const headers = {
    consumer: `-H "Authorization: Bearer $TOKEN"`,
    agent: `-H ${quote(`x-auth-token: ${addresses.agentToken}`)}`,
  };
  const request = [
    "curl -i",
    ...(method === "GET" ? [] : [`-X ${method}`]),
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
