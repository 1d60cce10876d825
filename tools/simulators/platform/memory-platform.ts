/** Simulates the platform in memory, without sockets. It passes the same contract suite as the simulator over HTTP. */

import { NoResponseError } from "../../../src/lib/http-client.ts";
import { transportFailure } from "../../../src/lib/platform/errors.ts";
import { type PlatformCredentials, type PlatformTransport } from "../../../src/lib/platform/transport.ts";
import { createControl } from "./control.ts";
import { createManagementApi } from "./management-api.ts";
import { createPlatformState } from "./state.ts";

export type MemoryPlatform = ReturnType<typeof createMemoryPlatform>;

/** The transport in memory does not check credentials. */
export const noCredentials: PlatformCredentials = { authorization: async () => "", invalidate: () => false };

const baseUrl = "https://platform.example.com";
const openAuthentication = { accepts: () => true, grantToken: () => ({ status: 404 }) };
const failureCodes = { refuse: "ECONNREFUSED", reset: "ECONNRESET", silence: "ETIMEDOUT" } as const;

/** Creates an empty platform, whose `now` returns milliseconds since 1970. */
export function createMemoryPlatform(now: () => number) {
  const state = createPlatformState(now);
  const manage = createManagementApi(state, openAuthentication, new AbortController().signal);

  /** Carries out one request before it returns. Throws PlatformError if the platform gives no response. */
  const transport: PlatformTransport = async (request) => {
    const { method, path, query = {}, body } = request;
    const url = new URL(path, baseUrl);
    for (const [name, value] of Object.entries(query)) url.searchParams.append(name, String(value));
    const headers = body === undefined ? {} : { "content-type": "application/json" };
    const sent = { method, url, headers, body: Buffer.from(body === undefined ? "" : JSON.stringify(body)) };
    const answer = state.outage.mode === "refuse" ? "refuse" : await manage(sent);
    if (typeof answer === "string")
      throw transportFailure(request, new NoResponseError(failureCodes[answer], answer !== "refuse"));
    const received: unknown = answer.body === undefined ? "" : JSON.parse(JSON.stringify(answer.body));
    return { status: answer.status, headers: answer.headers ?? {}, body: received };
  };

  return { ...createControl(state), state, transport };
}
