/** Sends the storage SDK's requests with undici, which takes less processor time than the SDK's own HTTP client. */
import { toHttpHeadersLike } from "@azure/core-http-compat";
import { createHttpHeaders } from "@azure/core-rest-pipeline";
import { type IHttpClient, RestError } from "@azure/storage-queue";
import { EnvHttpProxyAgent } from "undici";
import { sendHttp } from "../http-call.ts";

// Closed here before a server or load balancer is likely to: a request on one just closed has an unknown outcome.
const idleMilliseconds = 30_000;

/**
 * Creates an HTTP client for `QueueServiceClient`. Like the SDK's own client, it keeps connections alive, uses the proxy
 * of the environment, and throws RestError with a code that the SDK may retry if there is no response.
 */
export function createStorageTransport(): IHttpClient {
  const dispatcher = new EnvHttpProxyAgent({
    keepAliveTimeout: idleMilliseconds,
    keepAliveMaxTimeout: idleMilliseconds,
  });
  return {
    async sendRequest(request) {
      const signal = request.abortSignal instanceof AbortSignal ? request.abortSignal : null;
      try {
        const { status, headers, text } = await sendHttp(request.url, {
          dispatcher,
          method: request.method,
          headers: request.headers.rawHeaders(),
          body: toText(request.body),
          signal,
        });
        return {
          request,
          status,
          headers: toHttpHeadersLike(createHttpHeaders(toSingleValues(headers))),
          bodyAsText: text,
        };
      } catch (error) {
        throw signal?.aborted === true ? error : toRestError(error);
      }
    },
  };
}

/** The queue client sends XML or nothing. */
function toText(body: unknown): string | null {
  if (body === undefined || body === null || typeof body === "string") return body ?? null;
  throw new TypeError("The storage transport sends text only.");
}

function toSingleValues(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

/** The SDK retries Node's network codes, but does not know those of undici. */
function toRestError(error: unknown): RestError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const isKnown = code !== "" && !code.startsWith("UND_");
  return new RestError(error instanceof Error ? error.message : code, {
    code: isKnown ? code : RestError.REQUEST_SEND_ERROR,
  });
}
