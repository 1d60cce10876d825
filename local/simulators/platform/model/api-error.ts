/** The refusals of the simulated Management API, in the two body shapes that the platform uses. */

/** A request that is answered with this status and body instead of being carried out. */
export class ApiError extends Error {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Record<string, string>;

  constructor(status: number, body?: unknown, headers: Record<string, string> = {}) {
    super(`the platform answers ${status}`);
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** Field name (or `__all__` for rules across fields) to texts. */
export type FieldErrors = Record<string, string[]>;

/** 400 as the platform answers invalid data: nested under the resource's name. */
export function invalid(resource: string, errors: FieldErrors): ApiError {
  return new ApiError(400, { [resource]: errors });
}

/** 400 as the platform answers a request it cannot read. */
export function badRequest(text: string): ApiError {
  return new ApiError(400, { error: text });
}

/** 404 has no body on this platform. */
export function notFound(): ApiError {
  return new ApiError(404);
}

/** 405 names the methods that would do. */
export function methodNotAllowed(allowed: string[]): ApiError {
  return new ApiError(405, undefined, { allow: allowed.join(", ") });
}
