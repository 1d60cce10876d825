/** On which port a server listens. */
import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { listen, unusualPort } from "../services/listen.ts";

function newServer() {
  const server = createServer();
  onTestFinished(() => void server.close());
  return server;
}

test("A server listens on the usual port if that is free, and else on another one, of which is told", async () => {
  const first = newServer();
  const usual = Number(new URL(await listen(first)).port);
  const second = await listen(newServer(), { ifFree: usual });
  expect(unusualPort(second, usual)).toBe(` (port ${usual} is in use)`);
  await expect(listen(newServer(), usual)).rejects.toMatchObject({ code: "EADDRINUSE" });
  await new Promise((resolve) => first.close(resolve));
  const third = await listen(newServer(), { ifFree: usual });
  expect([third, unusualPort(third, usual)]).toEqual([`http://127.0.0.1:${usual}`, ""]);
});
