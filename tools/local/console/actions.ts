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
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly url: string;
  /** The credentials of the request: the consumer's bearer token, or the agent's token. */
  readonly identity?: "consumer" | "agent";
  readonly json?: unknown;
}

export type Values = Readonly<Record<string, string>>;

export interface Action {
  readonly id: string;
  readonly label: string;
  readonly fields?: readonly Field[];
  /** Whether the request takes the chosen room's name as the value `room`. */
  readonly needsRoom?: boolean;
  /** What is shown instead of the response's body if the request succeeds. */
  readonly done?: string;
  /** Whether this is the usual first action. */
  readonly isPrimary?: boolean;
  /** The question that a second click confirms, because the action cannot be undone. `rooms` is the number of rooms. */
  readonly confirm?: (values: Values, rooms: number) => string;
  readonly request: (values: Values, addresses: Addresses) => ActionRequest;
}

export interface ActionGroup {
  readonly title: string;
  readonly actions: readonly Action[];
}

const exampleTag = "https://verify.example.com/sessions/4711";

/** A selection whose first option is the initial one. */
function choice(name: string, label: string, options: NonNullable<Field["options"]>): Field {
  return { name, label, initial: options[0]?.[0] ?? "", options };
}

const calls = (initial: string): Field => ({ name: "calls", label: "Calls", type: "number", initial });
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

const post = (url: string, json: unknown): ActionRequest => ({ method: "POST", url, json });
const remove = (url: string): ActionRequest => ({ method: "DELETE", url });
const asConsumer = (method: "POST" | "DELETE", url: string): ActionRequest => ({
  method,
  url,
  identity: "consumer",
});
const roomPath = ({ room = "" }: Values): string => encodeURIComponent(room);

/** An action that posts what `body` returns to the control API of the platform. */
const platform = (path: string, body: (values: Values) => unknown): Pick<Action, "request"> => ({
  request: (values, { platformControl }) => post(`${platformControl}/control/${path}`, body(values)),
});

const fire = (id: string, label: string): Action => ({
  id,
  label,
  request: (_, { gateway }) => post(`${gateway}/admin/functions/${id}`, {}),
});

const issuer = (id: string, label: string, path: string): Action => ({
  id,
  label,
  request: (_, { token }) => post(`${new URL(token).origin}/control/${path}`, {}),
});

function faultOf({ fault = "429", calls: count = "1" }: Values): object {
  const [kind, when = "before"] = fault.split("-");
  const plan = { when, count: Number(count) };
  return kind === "timeout" ? { kind, ...plan } : { kind: "status", status: Number(kind), ...plan };
}

export const actionGroups: readonly ActionGroup[] = [
  {
    title: "Rooms",
    actions: [
      {
        id: "create",
        label: "Create a room",
        isPrimary: true,
        fields: [{ name: "tag", label: "Service tag", type: "text", initial: exampleTag }],
        request: ({ tag = "" }, { gateway }) =>
          asConsumer(
            "POST",
            `${gateway}/room/create${tag === "" ? "" : `?uuiData=${toHex(tag)};encoding=hex`}`,
          ),
      },
      {
        id: "read",
        label: "Read it as an agent",
        needsRoom: true,
        request: (values, { gateway }) => ({
          method: "GET",
          url: `${gateway}/public/room/${roomPath(values)}`,
          identity: "agent",
        }),
      },
      {
        id: "delete",
        label: "Delete it",
        needsRoom: true,
        confirm: () => "Delete 1 room?",
        request: (values, { gateway }) => asConsumer("DELETE", `${gateway}/room/${roomPath(values)}`),
      },
    ],
  },
  {
    title: "Conference",
    actions: [
      {
        id: "join",
        label: "Join",
        done: "The participant has joined.",
        needsRoom: true,
        fields: [participants],
        ...platform("conferences/join", ({ room, participant = "" }) => ({
          name: room,
          participant,
          node: nodes[participant],
        })),
      },
      {
        id: "leave",
        label: "Leave",
        done: "The participant has left.",
        needsRoom: true,
        fields: [participants],
        ...platform("conferences/leave", ({ room, participant }) => ({ name: room, participant })),
      },
    ],
  },
  {
    title: "Pool and timers",
    actions: [
      {
        id: "fill",
        label: "Fill the pool",
        request: (_, { gateway }) => asConsumer("POST", `${gateway}/room/bulk/`),
      },
      {
        id: "empty",
        label: "Delete all rooms",
        confirm: (_, rooms) => `Delete ${rooms} rooms?`,
        request: (_, { gateway }) => asConsumer("DELETE", `${gateway}/room/bulk/`),
      },
      fire("collectGarbage", "Collect garbage"),
      fire("collectMetrics", "Collect metrics"),
    ],
  },
  {
    title: "Platform",
    actions: [
      { id: "down", label: "Take it down", fields: [outage], ...platform("down", ({ mode }) => ({ mode })) },
      { id: "up", label: "Bring it up", ...platform("up", () => ({})) },
      {
        id: "slow",
        label: "Slow it down",
        fields: [{ name: "milliseconds", label: "Milliseconds", type: "number", initial: "2000" }],
        ...platform("latency", ({ milliseconds }) => ({ milliseconds: Number(milliseconds) })),
      },
      {
        id: "fast",
        label: "Make it fast again",
        ...platform("latency", () => ({ milliseconds: 0 })),
      },
      {
        id: "fail",
        label: "Make calls fail",
        fields: [platformFault, calls("1")],
        ...platform("faults", faultOf),
      },
      {
        id: "heal",
        label: "Clear all faults",
        request: (_, { platformControl }) => remove(`${platformControl}/control/faults`),
      },
      {
        id: "alarm",
        label: "Raise an alarm",
        fields: [{ name: "name", label: "Name", type: "text", initial: "connectivity_lost" }],
        ...platform("alarms", ({ name }) => ({ name, level: "error" })),
      },
      {
        id: "calm",
        label: "Clear all alarms",
        request: (_, { platformControl }) => remove(`${platformControl}/control/alarms`),
      },
    ],
  },
  {
    title: "Contact centre and token issuer",
    actions: [
      {
        id: "contactCentreFails",
        label: "Contact centre fails",
        fields: [calls("5")],
        request: ({ calls: count }, { contactCentre }) =>
          post(`${contactCentre}/control/faults`, { status: 503, count: Number(count) }),
      },
      {
        id: "contactCentreHeals",
        label: "Contact centre recovers",
        request: (_, { contactCentre }) => remove(`${contactCentre}/control/faults`),
      },
      issuer("issuerDown", "Token issuer fails", "down"),
      issuer("issuerUp", "Token issuer recovers", "up"),
      issuer("rotate", "Token issuer changes its key", "keys/rotate"),
    ],
  },
];

export const actions: readonly Action[] = actionGroups.flatMap((group) => group.actions);

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
