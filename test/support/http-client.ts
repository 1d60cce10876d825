/** Sends requests with their target exactly as given: no normalising of paths, no following of redirects. */
import { once } from "node:events";
import { Agent, type IncomingMessage, request as open } from "node:http";
import { text as readText } from "node:stream/consumers";

export interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON with its Content-Type. */
  readonly json?: unknown;
  /** Sent as it is. */
  readonly text?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  /** The body as JSON; undefined when it is empty or no JSON. */
  readonly json: unknown;
}

export interface HttpClient {
  /** `request` is a method and a target, `GET /room/list`. A body gets a Content-Length unless it is sent chunked. */
  send(request: string, sent?: Sent): Promise<Answer>;
  close(): void;
}

const timeoutMilliseconds = 60_000;

export function createHttpClient(baseUrl: string): HttpClient {
  const agent = new Agent({ keepAlive: true });
  const { hostname, port } = new URL(baseUrl);

  async function send(request: string, { headers = {}, json, text }: Sent = {}): Promise<Answer> {
    const [method = "", path = ""] = request.split(/ (.*)/s);
    const body = json === undefined ? text : JSON.stringify(json);
    const isChunked = Object.keys(headers).includes("transfer-encoding");
    const outgoing = open({
      agent,
      hostname,
      port,
      method,
      path,
      timeout: timeoutMilliseconds,
      headers: {
        ...(json !== undefined && { "content-type": "application/json" }),
        ...(body !== undefined && !isChunked && { "content-length": String(Buffer.byteLength(body)) }),
        ...headers,
      },
    });
    outgoing.once("timeout", () => outgoing.destroy(new Error(`no answer to ${request}`)));
    outgoing.end(body);
    const [response] = (await once(outgoing, "response")) as [IncomingMessage];
    const received = await readText(response);
    return {
      status: response.statusCode ?? 0,
      headers: Object.fromEntries(
        Object.entries(response.headers).map(([name, value]) => [
          name,
          value === undefined ? value : String(value),
        ]),
      ),
      text: received,
      json: parse(received),
    };
  }

  return { send, close: () => agent.destroy() };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
