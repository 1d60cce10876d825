/** A proxy in front of the gateway that loses responses: the gateway has done its work, and the client never learns. */
import { onTestFinished } from "vitest";
import { startLoopbackServer } from "../../local/simulators/loopback-server.ts";

export interface ResponseCutter {
  readonly url: string;
  /** Loses the responses to the next requests. */
  readonly cut: (responses: number) => void;
}

/** Starts a proxy that ends after the test. */
export async function startResponseCutter(target: string): Promise<ResponseCutter> {
  let toCut = 0;
  const server = await startLoopbackServer(async ({ method, url, headers, body }) => {
    const { host: _, connection: __, "transfer-encoding": ___, ...passedOn } = headers;
    const response = await fetch(`${target}${url.pathname}${url.search}`, {
      method,
      headers: Object.entries(passedOn).map(([name, value]): [string, string] => [name, String(value)]),
      ...(body.length > 0 && { body: new Uint8Array(body) }),
    });
    const text = await response.text();
    if (toCut > 0) {
      toCut -= 1;
      return "reset";
    }
    const { "transfer-encoding": ____, ...returned } = Object.fromEntries(response.headers);
    return { status: response.status, headers: returned, body: response.status === 204 ? undefined : text };
  });
  onTestFinished(server.stop);
  return { url: server.url, cut: (responses) => void (toCut = responses) };
}
