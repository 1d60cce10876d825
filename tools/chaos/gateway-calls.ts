/** The calls of consumers and of the platform to the gateway, and their results. */
import * as z from "zod";
import { encodeServiceTag } from "../../client/src/service-tag.ts";
import { identities } from "../local/stack/identities.ts";
import { hostPin } from "./environment.ts";

/** A response; `lost` if the connection broke or the caller timed out; `not-sent` if no instance was listening. */
export type Outcome = { readonly status: number; readonly body: unknown } | "lost" | "not-sent";

export type GatewayCalls = ReturnType<typeof createGatewayCalls>;

interface Call {
  readonly allowed: readonly number[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly timeoutSeconds?: number;
}

const defaultTimeoutSeconds = 60;
// Longer than the gateway's own limit, so the end of a bulk delete is known.
const bulkDeleteTimeoutSeconds = 190;

/** `pick` returns the URL of a running instance. */
export function createGatewayCalls(pick: () => string | undefined, accessToken: string) {
  const unexpected: string[] = [];
  const bearer = { authorization: `Bearer ${accessToken}` };
  const json = { "content-type": "application/json" };
  const credentials = Buffer.from(`${identities.sinkUsername}:${identities.sinkPassword}`).toString("base64");
  const basic = { authorization: `Basic ${credentials}` };

  async function send(method: string, path: string, call: Call): Promise<Outcome> {
    const { allowed, headers = bearer, body, timeoutSeconds = defaultTimeoutSeconds } = call;
    const url = pick();
    if (url === undefined) return "not-sent";
    try {
      const response = await fetch(`${url}${path}`, {
        method,
        headers,
        signal: AbortSignal.timeout(timeoutSeconds * 1000),
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      const operation = `${method} ${path.split("?")[0]}`;
      if (!allowed.includes(response.status)) unexpected.push(`${operation} ${response.status}`);
      if (text.includes(hostPin)) unexpected.push(`${operation}: host PIN`);
      return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
    } catch (error) {
      return isRefused(error) ? "not-sent" : "lost";
    }
  }

  return {
    /** Responses with an undocumented status, for example `POST /room/create 500`, or with the host PIN. */
    unexpected,
    /** With a key, a repeated create gives the same room. */
    create: async (tag: string, timeoutSeconds: number, key?: string) => {
      const query = new URLSearchParams({ uuiData: encodeServiceTag(tag) });
      const headers = { ...bearer, ...(key !== undefined && { "idempotency-key": key }) };
      return send("POST", `/room/create?${query.toString()}`, {
        allowed: [200, 404, 503],
        headers,
        timeoutSeconds,
      });
    },
    delete: async (room: string) =>
      send("DELETE", `/room/${encodeURIComponent(room)}`, { allowed: [204, 404, 503] }),
    /** Reports that the conferences in these rooms have ended. */
    end: async (rooms: readonly string[]) => {
      const events = rooms.map((name) => ({ event: "conference_ended", data: { name } }));
      const body = events.length === 1 ? events[0] : { event: "eventsink_bulk", data: events };
      const headers = { ...basic, ...json };
      return send("POST", "/public/event_sink", { allowed: [204, 503], headers, body });
    },
    bulkCreate: async () => send("POST", "/room/bulk/", { allowed: [202, 503] }),
    bulkDelete: async () =>
      send("DELETE", "/room/bulk/", { allowed: [204, 503], timeoutSeconds: bulkDeleteTimeoutSeconds }),
    runTimer: async (timer: "collectGarbage" | "collectMetrics") =>
      send("POST", `/admin/functions/${timer}`, { allowed: [202], headers: json, body: {} }),
  };
}

const causeSchema = z.object({ cause: z.object({ code: z.literal("ECONNREFUSED") }) });

function isRefused(error: unknown): boolean {
  return causeSchema.safeParse(error).success;
}
