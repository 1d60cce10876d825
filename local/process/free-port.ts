/** Chooses the port of a server that another program will start. */
import { once } from "node:events";
import { createServer } from "node:net";

/** Returns the preferred port of 127.0.0.1 if it is free, otherwise any free one. */
export async function freePort(preferred: number): Promise<number> {
  return (await tryPort(preferred)) ?? (await tryPort(0)) ?? preferred;
}

async function tryPort(port: number): Promise<number | undefined> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch {
    return undefined;
  }
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" ? address?.port : undefined;
}
