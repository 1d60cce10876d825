/** The Management API over HTTP: faults, limits, authentication, then the resource that the path names. */
import { setTimeout as delay } from "node:timers/promises";
import { faultAnswer } from "../services/faults.ts";
import type { Answer, LoopbackRequest, Reply } from "../services/loopback-server.ts";
import { ApiError, badRequest } from "./api-error.ts";
import type { Authentication } from "./authentication.ts";
import { naiveTimestamp, resourceUri } from "./conference-fields.ts";
import { createListing, type Listing } from "./listing.ts";
import type { LiveConference } from "./live.ts";
import type { PlatformState } from "./state.ts";

const roomsPath = "configuration/conference";
const address = /^\/api\/admin\/((?:configuration|status)\/v1\/[a-z_]+)\/(?:([^/]+)\/)?$/;

/** Creates the handler. `closing` ends every delay. */
export function createManagementApi(
  state: PlatformState,
  authentication: Authentication,
  closing: AbortSignal,
): (request: LoopbackRequest) => Promise<Answer> {
  const { conferences, faults, outage, requestLog, switches } = state;
  const lists: Readonly<Record<string, Listing>> = {
    [roomsPath]: createListing(conferences.all, conferences.show),
    "status/conference": statusList("conference", () => state.live.all().map(conferenceRow)),
    "status/alarm": statusList("alarm", state.alarms.all),
  };

  async function carryOut(request: LoopbackRequest): Promise<Answer> {
    const target = request.url.pathname + request.url.search;
    const fault = faults.take(request.method, target);
    const { latencyMilliseconds } = switches;
    if (latencyMilliseconds > 0) await delay(latencyMilliseconds, undefined, { signal: closing });
    if (!fault) return answer(request);
    if (fault.when === "after") answer(request);
    return faultAnswer(fault);
  }

  function answer(request: LoopbackRequest): Reply {
    try {
      return route(request);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { status: error.status, body: error.body };
    }
  }

  function route(request: LoopbackRequest): Reply {
    const { method, url, headers, body } = request;
    const path = url.pathname;
    if (!path.endsWith("/")) return { status: 301, headers: { location: `${path}/${url.search}` } };
    if (method === "POST" && path === "/oauth/token/") return authentication.grantToken(body);
    if (!authentication.accepts(headers.authorization))
      return { status: 401, headers: { "www-authenticate": 'Basic realm="management"' } };
    const [, versioned = "", id] = address.exec(path) ?? [];
    const name = versioned.replace("/v1", "");
    const list = lists[name];
    if (!list) throw new ApiError(404);
    if (method === "GET" && id === undefined)
      return { status: 200, body: list(path, url.searchParams, switches.maxPageSize) };
    if (name !== roomsPath) throw new ApiError(405);
    return id === undefined ? onRooms(request) : onRoom(request, id);
  }

  function onRooms(request: LoopbackRequest): Reply {
    const { method } = request;
    if (method === "DELETE" || method === "PUT") {
      const error = `${method} on a list would destroy every object of the platform: the simulator refuses it.`;
      throw new ApiError(403, { error });
    }
    if (method !== "POST") throw new ApiError(405);
    const path = resourceUri("conference", conferences.create(readBody(request)));
    return { status: 201, headers: { location: path } };
  }

  function onRoom(request: LoopbackRequest, id: string): Reply {
    if (request.method === "DELETE") {
      conferences.remove(id);
      return { status: 204 };
    }
    if (request.method === "GET") return { status: 200, body: conferences.show(conferences.find(id)) };
    if (request.method !== "PATCH") throw new ApiError(405);
    conferences.update(id, readBody(request));
    return { status: 202 };
  }

  return async (request) => {
    if (outage.mode !== undefined) return outage.mode === "503" ? { status: 503 } : "reset";
    requestLog.add(request.method, request.url.pathname);
    return carryOut(request).catch((error: unknown): Answer => {
      if (closing.aborted) return "reset";
      return { status: 500, body: { error_message: String(error) } };
    });
  };
}

/** Rows are created on each call, because they are few and change constantly. Nothing reads a single one. */
function statusList<Row extends { readonly id: string | number; readonly name: string }>(
  resource: string,
  rows: () => readonly Row[],
): Listing {
  const show = (row: Row) => ({ ...row, resource_uri: resourceUri(resource, row.id, "status") });
  return createListing(rows, show);
}

function conferenceRow({ id, name, service_type, tag, startedAt }: LiveConference) {
  const start_time = naiveTimestamp(startedAt);
  return { id, name, service_type, tag, start_time, is_started: true };
}

/** Like the platform, refuses a body that is not declared as JSON, even if it is JSON. */
function readBody({ body, headers }: LoopbackRequest): Record<string, unknown> {
  if (!/^application\/json\b/.test(headers["content-type"] ?? ""))
    throw badRequest("The format indicated by the Content-Type header has no available deserializer.");
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Invalid JSON gets the same error as JSON that is not an object.
  }
  throw badRequest("The request body is not a JSON object.");
}
