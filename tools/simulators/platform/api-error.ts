/** Errors of the simulated Management API, in the two body shapes that the platform uses. */

/** Ends a request with this status and body. */
export class ApiError extends Error {
  readonly status: number;
  readonly body: unknown;

  constructor(status: number, body?: unknown) {
    super(`the platform answers ${status}`);
    this.status = status;
    this.body = body;
  }
}

/** Field name (or `__all__` for rules across fields) to texts. */
export type FieldErrors = Record<string, string[]>;

/** The platform's 400 for invalid data: nested under the resource's name. */
export function invalid(resource: string, errors: FieldErrors): ApiError {
  return new ApiError(400, { [resource]: errors });
}

/** The platform's 400 for a request it cannot read. */
export function badRequest(text: string): ApiError {
  return new ApiError(400, { error: text });
}
