/** Sends requests with their target unchanged: it does not normalise paths or follow redirects. */
import { once } from "node:events";
import { Agent, type IncomingMessage, request as open } from "node:http";
import { text as readText } from "node:stream/consumers";
import { parseJson } from "../../src/lib/json.ts";
import { encodeBody, type Received, type Sent } from "../../tools/simulators/exchange.ts";

const timeoutMilliseconds = 60_000;

export function createHttpClient(baseUrl: string) {
  const agent = new Agent({ keepAlive: true });
  const { hostname, port } = new URL(baseUrl);

  /** `request` is a method and a target, `GET /room/list`. A body gets a Content-Length unless it is chunked. */
  async function send(request: string, sent: Sent = {}): Promise<Received> {
    const [method = "", path = ""] = request.split(/ (.*)/s);
    const { body, headers } = encodeBody(sent);
    if (sent.headers?.["transfer-encoding"] !== undefined) delete headers["content-length"];
    const outgoing = open({
      agent,
      hostname,
      port,
      method,
      path,
      timeout: timeoutMilliseconds,
      headers: { ...headers, ...sent.headers },
    });
    outgoing.once("timeout", () => outgoing.destroy(new Error(`no response to ${request}`)));
    outgoing.end(body);
    const [response] = (await once(outgoing, "response")) as [IncomingMessage];
    const text = await readText(response);
    const received = Object.entries(response.headers).map(([name, value]) => [name, value?.toString()]);
    return {
      status: response.statusCode ?? 0,
      headers: Object.fromEntries(received),
      text,
      json: parseJson(text),
    };
  }

  return { send, close: () => agent.destroy() };
}
