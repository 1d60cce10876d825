/** A server in front of the gateway that passes requests on, and changes or loses responses. */
import { onTestFinished } from "vitest";
import {
  type Answer,
  type LoopbackRequest,
  type Reply,
  startLoopbackServer,
} from "../../tools/simulators/loopback-server.ts";

/** The client's substitute for a response. */
export type Change = (reply: Reply, request: LoopbackRequest) => Answer;

/** Starts a server that ends after the test. */
export async function startForwardingServer(target: string, change: Change) {
  const server = await startLoopbackServer(async (request) => {
    const { method, url, body } = request;
    const { host: _, connection: __, "transfer-encoding": ___, ...headers } = request.headers;
    const response = await fetch(`${target}${url.pathname}${url.search}`, {
      method,
      headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
      ...(body.length > 0 && { body: new Uint8Array(body) }),
    });
    const text = await response.text();
    const {
      "transfer-encoding": ____,
      "content-length": _____,
      ...returned
    } = Object.fromEntries(response.headers);
    const reply = { status: response.status, headers: returned, body: text === "" ? undefined : text };
    return change(reply, request);
  });
  onTestFinished(server.stop);
  return server;
}
