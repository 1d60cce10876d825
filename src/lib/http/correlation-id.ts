/** The correlation ID of a request, which leads through the logs of everything that handled it. */

// Usable in a header, a log line and a query without being escaped.
const usableId = /^[A-Za-z0-9._-]{1,128}$/;

/** Returns the caller's `x-correlation-id`, or `otherwise` if it is missing or not usable. */
export function correlationIdOf(headers: Pick<Headers, "get">, otherwise: string): string {
  const id = headers.get("x-correlation-id") ?? "";
  return usableId.test(id) ? id : otherwise;
}
