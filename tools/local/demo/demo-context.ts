/** What every step of the demonstration needs. */
import { createClient } from "../../../client/src/client.ts";
import type { AccessToken } from "../../../client/src/tokens.ts";
import { parseJson } from "../process/parse-json.ts";
import type { Connection } from "../stack/connection.ts";
import { openQueueContents } from "../stack/queue-contents.ts";
import { createPrintingFetch, type PrintedResponse } from "./printing-fetch.ts";
import type { Report } from "./report.ts";

interface PlainRequest {
  readonly headers?: Record<string, string>;
  /** Sent as JSON. */
  readonly body?: object;
}

interface PlainResponse extends PrintedResponse {
  /** The body as JSON; undefined if it is not JSON. */
  readonly json: unknown;
}

export type DemoContext = ReturnType<typeof createDemoContext>;

const timeoutMilliseconds = 240_000;

/** Creates the context of a consumer with this token. */
export function createDemoContext(
  connection: Connection,
  report: Report,
  token: AccessToken,
  stopping: AbortSignal,
) {
  const baseUrl = connection.gatewayUrl;
  let last: PrintedResponse | undefined;
  const printingFetch = createPrintingFetch(report, (response) => {
    last = response;
  });

  /**
   * Sends a request that the client does not send, to a path of the gateway or to another URL, and prints it.
   * It has the consumer's token unless it has headers. Throws if the demonstration is being stopped.
   */
  async function send(method: string, target: string, request: PlainRequest = {}): Promise<PlainResponse> {
    const { headers, body } = request;
    stopping.throwIfAborted();
    const response = await printingFetch(new URL(target, baseUrl), {
      method,
      headers: {
        ...(headers ?? { authorization: `Bearer ${token.accessToken}` }),
        ...(body && { "content-type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMilliseconds),
    });
    const text = await response.text();
    return { status: response.status, text, json: parseJson(text) };
  }

  return {
    connection,
    queues: openQueueContents(connection.storageConnectionString),
    report,
    stopping,
    /** What a consumer does. */
    client: createClient({ baseUrl, getToken: async () => token, fetch: printingFetch }),
    /** Checks the status of the last response, and that it has no body. */
    checkEmpty: (expectation: string, status: number) =>
      report.check(expectation, last?.status === status && last.text === "", last),
    send,
  };
}
