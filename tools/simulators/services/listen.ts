/** Lets servers listen on the loopback address. */
import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";

const loopback = "127.0.0.1";

/** Exactly this port, where 0 is a free one; or this port unless something else listens there. */
export type Port = number | { readonly ifFree: number };

/** Returns why a URL has another port than usual, in parentheses, or an empty string. */
export function unusualPort(url: string, usual: number): string {
  return new URL(url).port === String(usual) ? "" : ` (port ${usual} is in use)`;
}

/** Resolves with the URL once the server listens. Throws if the port is in use. */
export async function listen(server: Server, port: Port = 0): Promise<string> {
  try {
    server.listen(typeof port === "number" ? port : port.ifFree, loopback);
    await once(server, "listening");
  } catch (error) {
    if (typeof port === "number") throw error;
    return listen(server);
  }
  const { port: opened } = server.address() as AddressInfo;
  return `http://${loopback}:${opened}`;
}
