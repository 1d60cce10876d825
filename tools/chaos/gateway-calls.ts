/** The calls of consumers and of the platform to the gateway, and their results. */
import * as z from "zod";
import { encodeServiceTag } from "../../client/src/service-tag.ts";
import { identities } from "../simulators/identities.ts";

/** A response; `lost` if the connection broke or the caller timed out; `not-sent` if no instance was listening. */
export type Outcome = { readonly status: number; readonly body: unknown } | "lost" | "not-sent";

export type GatewayCalls = ReturnType<typeof createGatewayCalls>;

interface Call {
  readonly allowed: readonly number[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

const timeoutMilliseconds = 60_000;
const refusedSchema = z.object({ cause: z.object({ code: z.literal("ECONNREFUSED") }) });

/** `pick` returns the URL of a running instance. */
export function createGatewayCalls(pick: () => string | undefined, accessToken: string) {
  const unexpected: string[] = [];
  const bearer = { authorization: `Bearer ${accessToken}` };
  const json = { "content-type": "application/json" };
  const credentials = Buffer.from(`${identities.sinkUsername}:${identities.sinkPassword}`).toString("base64");

  async function send(method: string, path: string, call: Call): Promise<Outcome> {
    const { allowed, headers = bearer, body } = call;
    const url = pick();
    if (url === undefined) return "not-sent";
    try {
      const response = await fetch(`${url}${path}`, {
        method,
        headers,
        signal: AbortSignal.timeout(timeoutMilliseconds),
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!allowed.includes(response.status))
        unexpected.push(`${method} ${path.split("?")[0]} ${response.status}`);
      return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
    } catch (error) {
      return refusedSchema.safeParse(error).success ? "not-sent" : "lost";
    }
  }

  return {
    /** Responses with an undocumented status, for example `POST /room/create 500`. */
    unexpected,
    /** With a key, a repeated create gives the same room. */
    create: async (tag: string, key?: string) => {
      const query = new URLSearchParams({ uuiData: encodeServiceTag(tag) });
      const headers = { ...bearer, ...(key !== undefined && { "idempotency-key": key }) };
      return send("POST", `/room/create?${query.toString()}`, { allowed: [200, 404, 503], headers });
    },
    delete: async (room: string) =>
      send("DELETE", `/room/${encodeURIComponent(room)}`, { allowed: [204, 404, 503] }),
    /** Reports that the conference in the room has ended. */
    end: async (room: string) => {
      const body = { event: "conference_ended", data: { name: room } };
      const headers = { authorization: `Basic ${credentials}`, ...json };
      return send("POST", "/public/event_sink", { allowed: [204, 503], headers, body });
    },
    runTimer: async (timer: "collectGarbage" | "collectMetrics") =>
      send("POST", `/admin/functions/${timer}`, { allowed: [202], headers: json, body: {} }),
  };
}
