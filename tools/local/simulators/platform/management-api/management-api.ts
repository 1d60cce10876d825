/** The Management API over HTTP: faults, limits, log-in, then the resource that the path names. */
import { setTimeout as delay } from "node:timers/promises";
import type { Answer, LoopbackRequest, Reply } from "../../loopback-server.ts";
import { ApiError, badRequest, methodNotAllowed, notFound } from "../model/api-error.ts";
import { resourceUri } from "../model/resource-uri.ts";
import type { PlatformState } from "../platform-state.ts";
import { type Fault, faultAnswer } from "../switches/faults.ts";
import type { Authentication } from "./authentication.ts";
import { createResources, type Resource } from "./resources.ts";

const address = /^\/api\/admin\/(configuration|status)\/v1\/([a-z_]+)\/(?:([^/]+)\/)?$/;

/** Creates the handler. `baseUrl` is the server's own address; `closing` ends every delay. */
export function createManagementApi(
  state: PlatformState,
  authentication: Authentication,
  baseUrl: () => string,
  closing: AbortSignal,
): (request: LoopbackRequest) => Promise<Answer> {
  const { behaviours, faults, rateLimit, requestLog } = state;
  const resources = createResources(state);

  async function carryOut(request: LoopbackRequest): Promise<Answer> {
    const target = request.url.pathname + request.url.search;
    const waitSeconds = rateLimit.count(behaviours.requestLimitPerMinute);
    if (waitSeconds !== undefined) return { status: 429, headers: { "retry-after": String(waitSeconds) } };
    const fault = faults.take(request.method, target);
    const wait = faults.latencyMilliseconds(request.method, target);
    if (wait > 0) await delay(wait, undefined, { signal: closing });
    if (!fault) return answer(request);
    if (fault.when === "after") commit(fault, request);
    return faultAnswer(fault);
  }

  function commit({ commitAfterMilliseconds }: Fault, request: LoopbackRequest): void {
    if (commitAfterMilliseconds === undefined) {
      answer(request);
      return;
    }
    delay(commitAfterMilliseconds, undefined, { signal: closing }).then(
      () => answer(request),
      () => undefined,
    );
  }

  function answer(request: LoopbackRequest): Reply {
    try {
      return route(request);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { status: error.status, headers: error.headers, body: error.body };
    }
  }

  function route({ method, url, headers, body }: LoopbackRequest): Reply {
    const path = url.pathname;
    if (!path.endsWith("/")) return { status: 301, headers: { location: `${path}/${url.search}` } };
    if (method === "POST" && path === "/oauth/token/") {
      return authentication.grantToken(body, `${baseUrl()}${path}`);
    }
    if (!authentication.accepts(headers.authorization))
      return { status: 401, headers: { "www-authenticate": 'Basic realm="management"' } };
    const [, family, name = "", id] = address.exec(path) ?? [];
    const resource = resources[`${family}/${name}`];
    if (!resource) throw notFound();
    if (id !== undefined) return onObject(resource, decodeURIComponent(id), method, body);
    return onList(resource, name, method, url, body);
  }

  function onList(resource: Resource, name: string, method: string, url: URL, body: Buffer): Reply {
    if (method === "GET") {
      return { status: 200, body: resource.list(url.pathname, url.searchParams, behaviours.maxPageSize) };
    }
    if (!resource.create) throw methodNotAllowed(["GET"]);
    if (method === "DELETE" || method === "PUT") {
      requestLog.countListWipe();
      const error = `${method} on a list would destroy every object of the platform: the simulator refuses it.`;
      throw new ApiError(403, { error });
    }
    if (method !== "POST") throw methodNotAllowed(["GET", "POST"]);
    const path = resourceUri(name, resource.create(readBody(body)));
    return { status: 201, headers: { location: behaviours.absoluteLocation ? baseUrl() + path : path } };
  }

  function onObject(resource: Resource, id: string, method: string, body: Buffer): Reply {
    if (method === "GET") return { status: 200, body: resource.show(id) };
    if (!resource.update || !resource.remove) throw methodNotAllowed(["GET"]);
    if (method === "DELETE") {
      resource.remove(id);
      return { status: 204 };
    }
    if (method !== "PATCH") throw methodNotAllowed(["GET", "PATCH", "DELETE"]);
    resource.update(id, readBody(body));
    return behaviours.patchReturnsObject ? { status: 202, body: resource.show(id) } : { status: 202 };
  }

  return async (request) => {
    const finish = requestLog.begin(request.method, request.url.pathname);
    const outcome = await carryOut(request).catch((error: unknown): Answer => {
      if (closing.aborted) return "reset";
      return { status: 500, body: { error_message: String(error) } };
    });
    finish(typeof outcome === "string" ? outcome : String(outcome.status));
    return outcome;
  };
}

function readBody(body: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Invalid JSON gets the same error as JSON that is not an object.
  }
  throw badRequest("The request body is not a JSON object.");
}
