/** The calls that callers and the platform make to the gateway, and what came of each. */
import { z } from "zod";
import { identities } from "../local/gateway/identities.ts";
import { hostPin } from "./environment.ts";

/** A status with its body; `lost` when the connection broke or the caller gave up; `not-sent` when nobody listened. */
export type Outcome = { readonly status: number; readonly body: unknown } | "lost" | "not-sent";

export interface GatewayCalls {
  /** Asks for a room; `patienceSeconds` is how long the caller waits. */
  create(tag: string, patienceSeconds: number): Promise<Outcome>;
  delete(room: string): Promise<Outcome>;
  /** Says that the conferences in these rooms have ended. */
  end(rooms: readonly string[]): Promise<Outcome>;
  bulkCreate(): Promise<Outcome>;
  bulkDelete(): Promise<Outcome>;
  /** Fires a timer by hand. */
  fire(timer: "collectGarbage" | "collectMetrics"): Promise<Outcome>;
  /** Answers that no contract allows, as `POST /room/create 500`. */
  readonly unexpected: readonly string[];
}

const usualSeconds = 60;
// Longer than the gateway itself takes at most, so that its end is known.
const bulkDeleteSeconds = 190;

interface Call {
  readonly method: string;
  readonly path: string;
  readonly allowed: readonly number[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly patienceSeconds?: number;
}

/** `pick` gives the address of a running process. */
export function createGatewayCalls(pick: () => string | undefined, accessToken: string): GatewayCalls {
  const unexpected: string[] = [];
  const bearer = { authorization: `Bearer ${accessToken}` };
  const { sinkUsername, sinkPassword } = identities;
  const basic = {
    authorization: `Basic ${Buffer.from(`${sinkUsername}:${sinkPassword}`).toString("base64")}`,
    "content-type": "application/json",
  };

  async function send({ method, path, allowed, headers, body, ...limits }: Call): Promise<Outcome> {
    const url = pick();
    if (url === undefined) return "not-sent";
    const { patienceSeconds = usualSeconds } = limits;
    try {
      const signal = AbortSignal.timeout(patienceSeconds * 1000);
      const text = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await fetch(`${url}${path}`, { method, signal, ...(headers && { headers }), ...text });
      const answer = await response.text();
      if (!allowed.includes(response.status))
        unexpected.push(`${method} ${path.split("?")[0]} ${response.status}`);
      if (method !== "GET" && answer.includes(hostPin)) unexpected.push(`${method} ${path}: host PIN`);
      return { status: response.status, body: answer === "" ? undefined : JSON.parse(answer) };
    } catch (error) {
      return isRefused(error) ? "not-sent" : "lost";
    }
  }

  return {
    unexpected,
    create: async (tag, patienceSeconds) => {
      const uuiData = `${Buffer.from(tag).toString("hex")};encoding=hex`;
      const path = `/room/create?uuiData=${encodeURIComponent(uuiData)}`;
      return send({ method: "POST", path, allowed: [200, 404, 503], headers: bearer, patienceSeconds });
    },
    delete: async (room) => {
      const path = `/room/${encodeURIComponent(room)}`;
      return send({ method: "DELETE", path, allowed: [204, 404, 503], headers: bearer });
    },
    end: async (rooms) => {
      const events = rooms.map((name) => ({ event: "conference_ended", data: { name } }));
      const body = events.length === 1 ? events[0] : { event: "eventsink_bulk", data: events };
      return send({ method: "POST", path: "/public/event_sink", allowed: [204, 503], headers: basic, body });
    },
    bulkCreate: async () =>
      send({ method: "POST", path: "/room/bulk/", allowed: [202, 503], headers: bearer }),
    bulkDelete: async () => {
      const limits = { allowed: [204, 503], patienceSeconds: bulkDeleteSeconds };
      return send({ method: "DELETE", path: "/room/bulk/", headers: bearer, ...limits });
    },
    fire: async (timer) => {
      const headers = { "content-type": "application/json" };
      return send({ method: "POST", path: `/admin/functions/${timer}`, allowed: [202], headers, body: {} });
    },
  };
}

const causeSchema = z.object({ cause: z.object({ code: z.literal("ECONNREFUSED") }) });

function isRefused(error: unknown): boolean {
  return causeSchema.safeParse(error).success;
}
