/** What one can do from the console. Each action is one HTTP request, which the server sends and the page shows as `curl`. */
import type { Addresses } from "./console-state.ts";

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly initial: string;
  readonly type: "text" | "number" | "select";
  readonly options?: readonly (readonly [value: string, label: string])[];
}

export interface ActionRequest {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly url: string;
  /** What the request authenticates with: the consumer's bearer token, or the agent's token. */
  readonly identity?: "consumer" | "agent";
  readonly json?: unknown;
}

export type Values = Readonly<Record<string, string>>;

export interface Action {
  readonly id: string;
  readonly label: string;
  readonly fields: readonly Field[];
  /** Whether the request takes the chosen room's name as the value `room`. */
  readonly needsRoom?: boolean;
  /** Whether this is what one usually does first. */
  readonly isPrimary?: boolean;
  readonly request: (values: Values, addresses: Addresses) => ActionRequest;
}

export interface ActionGroup {
  readonly title: string;
  readonly actions: readonly Action[];
}

const node: Field = {
  name: "node",
  label: "Node",
  type: "select",
  initial: "10.0.0.21",
  options: [
    ["10.0.0.21", "Node 1"],
    ["10.0.0.22", "Node 2"],
  ],
};
const participant: Field = {
  name: "participant",
  label: "Who",
  type: "select",
  initial: "Citizen",
  options: [
    ["Citizen", "Citizen"],
    ["Agent", "Agent"],
  ],
};
const number = (name: string, label: string, initial: string): Field => ({
  name,
  label,
  type: "number",
  initial,
});

/** A request to the control API of the platform. */
function platform(path: string, json: unknown, { platformControl }: Addresses): ActionRequest {
  return { method: "POST", url: `${platformControl}/control/${path}`, json };
}

function fire(id: string, label: string): Action {
  return {
    id,
    label,
    fields: [],
    request: (_, { gateway }) => ({ method: "POST", url: `${gateway}/admin/functions/${id}`, json: {} }),
  };
}

const roomUrl = ({ room: name = "" }: Values, base: string): string => `${base}/${encodeURIComponent(name)}`;

/** The faults that the platform can be asked for, by the value that the form sends. */
const platformFaults = [
  ["429", "429 too many requests"],
  ["500-before", "500 before the commit"],
  ["500-after", "500 after the commit"],
  ["timeout-before", "timeout before the commit"],
  ["timeout-after", "timeout after the commit"],
] as const;

function faultOf({ fault = "429", calls = "1" }: Values): object {
  const [kind, when = "before"] = fault.split("-");
  const count = Number(calls);
  return kind === "timeout" ? { kind, when, count } : { kind: "status", status: Number(kind), when, count };
}

export const actionGroups: readonly ActionGroup[] = [
  {
    title: "Rooms",
    actions: [
      {
        id: "create",
        label: "Create a room",
        isPrimary: true,
        fields: [
          {
            name: "tag",
            label: "Service tag",
            type: "text",
            initial: "https://verify.example.com/sessions/4711",
          },
        ],
        request: ({ tag = "" }, { gateway }) => ({
          method: "POST",
          url: `${gateway}/room/create${tag === "" ? "" : `?uuiData=${toHex(tag)};encoding=hex`}`,
          identity: "consumer",
        }),
      },
      {
        id: "read",
        label: "Read it as an agent",
        needsRoom: true,
        fields: [],
        request: (values, { gateway }) => ({
          method: "GET",
          url: roomUrl(values, `${gateway}/public/room`),
          identity: "agent",
        }),
      },
      {
        id: "delete",
        label: "Delete it",
        needsRoom: true,
        fields: [],
        request: (values, { gateway }) => ({
          method: "DELETE",
          url: roomUrl(values, `${gateway}/room`),
          identity: "consumer",
        }),
      },
    ],
  },
  {
    title: "Conference",
    actions: [
      {
        id: "join",
        label: "Join",
        isPrimary: true,
        needsRoom: true,
        fields: [participant, node],
        request: (values, addresses) =>
          platform(
            "conferences/join",
            { name: values["room"], participant: values["participant"], node: values["node"] },
            addresses,
          ),
      },
      {
        id: "leave",
        label: "Leave",
        needsRoom: true,
        fields: [participant],
        request: (values, addresses) =>
          platform(
            "conferences/leave",
            { name: values["room"], participant: values["participant"] },
            addresses,
          ),
      },
    ],
  },
  {
    title: "Pool and timers",
    actions: [
      {
        id: "fill",
        label: "Fill the pool",
        fields: [],
        request: (_, { gateway }) => ({
          method: "POST",
          url: `${gateway}/room/bulk/`,
          identity: "consumer",
        }),
      },
      {
        id: "empty",
        label: "Delete all rooms",
        fields: [],
        request: (_, { gateway }) => ({
          method: "DELETE",
          url: `${gateway}/room/bulk/`,
          identity: "consumer",
        }),
      },
      fire("collectGarbage", "Collect garbage"),
      fire("collectMetrics", "Collect metrics"),
    ],
  },
  {
    title: "Platform",
    actions: [
      {
        id: "down",
        label: "Take it down",
        fields: [
          {
            name: "mode",
            label: "How",
            type: "select",
            initial: "refuse",
            options: [
              ["refuse", "refuses connections"],
              ["reset", "resets connections"],
              ["503", "responds with 503"],
            ],
          },
        ],
        request: ({ mode }, addresses) => platform("down", { mode }, addresses),
      },
      { id: "up", label: "Bring it up", fields: [], request: (_, to) => platform("up", {}, to) },
      {
        id: "slow",
        label: "Slow it down",
        fields: [number("milliseconds", "Milliseconds", "2000")],
        request: ({ milliseconds }, addresses) =>
          platform("latency", { milliseconds: Number(milliseconds) }, addresses),
      },
      {
        id: "fail",
        label: "Make calls fail",
        fields: [
          { name: "fault", label: "Fault", type: "select", initial: "429", options: platformFaults },
          number("calls", "Calls", "1"),
        ],
        request: (values, addresses) => platform("faults", faultOf(values), addresses),
      },
      {
        id: "heal",
        label: "Clear all faults",
        fields: [],
        request: (_, { platformControl }) => ({ method: "DELETE", url: `${platformControl}/control/faults` }),
      },
      {
        id: "alarm",
        label: "Raise an alarm",
        fields: [{ name: "name", label: "Name", type: "text", initial: "connectivity_lost" }],
        request: ({ name }, addresses) => platform("alarms", { name, level: "error" }, addresses),
      },
      {
        id: "calm",
        label: "Clear all alarms",
        fields: [],
        request: (_, { platformControl }) => ({ method: "DELETE", url: `${platformControl}/control/alarms` }),
      },
      {
        id: "clock",
        label: "Move its clock forward",
        fields: [number("seconds", "Seconds", "600")],
        request: ({ seconds }, addresses) =>
          platform("clock", { advanceSeconds: Number(seconds) }, addresses),
      },
    ],
  },
  {
    title: "Contact centre and token issuer",
    actions: [
      {
        id: "contactCentreFails",
        label: "Contact centre fails",
        fields: [number("calls", "Calls", "5")],
        request: ({ calls }, { contactCentre }) => ({
          method: "POST",
          url: `${contactCentre}/control/faults`,
          json: { status: 503, count: Number(calls) },
        }),
      },
      {
        id: "contactCentreHeals",
        label: "Contact centre recovers",
        fields: [],
        request: (_, { contactCentre }) => ({ method: "DELETE", url: `${contactCentre}/control/faults` }),
      },
      issuer("issuerDown", "Token issuer fails", "down"),
      issuer("issuerUp", "Token issuer recovers", "up"),
      issuer("rotate", "Token issuer changes its key", "keys/rotate"),
    ],
  },
];

function issuer(id: string, label: string, path: string): Action {
  return {
    id,
    label,
    fields: [],
    request: (_, { token }) => ({
      method: "POST",
      url: `${new URL(token).origin}/control/${path}`,
      json: {},
    }),
  };
}

export const actions: readonly Action[] = actionGroups.flatMap((group) => group.actions);

/** The headers through which an identity is proved, with shell variables instead of secrets. */
const curlIdentity = {
  consumer: `-H "Authorization: Bearer $TOKEN"`,
  agent: `-H "x-auth-token: $AGENT_TOKEN"`,
} as const;

/** Returns the request as a line for a POSIX shell. */
export function toCurl({ method, url, identity, json }: ActionRequest): string {
  return [
    "curl -i",
    ...(method === "GET" ? [] : [`-X ${method}`]),
    ...(identity === undefined ? [] : [curlIdentity[identity]]),
    ...(json === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d ${quote(JSON.stringify(json))}`]),
    quote(url),
  ].join(" ");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function toHex(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
