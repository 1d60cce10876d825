/** The port for an app that another program starts. */
import { once } from "node:events";
import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { freePort } from "../../../local/process/free-port.ts";

test("freePort returns the preferred port if it is free and another one if it is in use", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = z.object({ port: z.int() }).parse(server.address());
  const other = await freePort(port);
  expect(other).not.toBe(port);
  expect(other).toBeGreaterThan(0);
  server.close();
  await once(server, "close");
  expect(await freePort(port)).toBe(port);
});
