/** The client against a running gateway: what a caller gets after lost responses and refusals. */
import { beforeEach, expect, test } from "vitest";
import { startForwardingServer } from "../../test/support/forwarding-server.ts";
import { useRunningGateway } from "../../test/support/running-gateway.ts";
import { thrownBy } from "../../test/support/scripted-gateway.ts";
import { createClientWith } from "../src/client.ts";
import { type GatewayClient, RoomGoneError } from "../src/index.ts";
import { createRuntime, type Runtime } from "../src/runtime.ts";

const tag = "https://verify.example.com/sessions/8d1f";

const gateway = useRunningGateway();
beforeEach(async () => {
  await gateway.empty();
  await gateway.fillPool(3);
});

/** `wait` runs instead of the wait before a retry. */
function connect(baseUrl = gateway.url, wait: Runtime["wait"] = async () => undefined): GatewayClient {
  const getToken = async () => ({ accessToken: gateway.bearerToken(), expiresInSeconds: 3599 });
  return createClientWith({ ...createRuntime(), wait }, { baseUrl, getToken });
}

const roomsWithTheTag = (): unknown[] =>
  gateway.stack.platform
    .rooms()
    .map(({ name }) => gateway.room(name))
    .filter((room) => room?.["tag"] === tag)
    .map((room) => room?.["name"]);

test("A create whose response was lost gets the same room by a retry, or later with the key of the error", async () => {
  let toLose = 4;
  const proxy = await startForwardingServer(gateway.url, (reply) => (toLose-- > 0 ? "reset" : reply));
  const client = connect(proxy.url);
  const error = await thrownBy(client.createRoom({ serviceTag: tag }));
  expect(error).toMatchObject({ name: "NoResponseError", attempts: 4 });
  const { idempotencyKey } = error as { idempotencyKey: string };
  toLose = 2;
  const { name } = await client.createRoom({ serviceTag: tag, idempotencyKey });
  expect(roomsWithTheTag()).toEqual([name]);
});

test("A create that finds an empty pool gets the requested room after its wait", async () => {
  await gateway.queues.pool.clear();
  // Too little time for a retry, at which the requested room could be ready.
  const error = await thrownBy(connect().createRoom({ timeoutSeconds: 9 }));
  expect(error).toMatchObject({ name: "PoolEmptyError", attempts: 1, retryAfterSeconds: 10 });
  const client = connect(gateway.url, async () => void (await gateway.settled()));
  const { name } = await client.createRoom({ serviceTag: tag });
  expect(gateway.room(name)).toMatchObject({ tag });
});

test("A key is refused with another tag, and fails with RoomGoneError after its room was deleted", async () => {
  const client = connect();
  const idempotencyKey = "key-1";
  const { name } = await client.createRoom({ serviceTag: tag, idempotencyKey });
  const again = client.createRoom({ serviceTag: `${tag}0`, idempotencyKey });
  await expect(again).rejects.toMatchObject({ fields: [{ name: "idempotency-key", in: "header" }] });
  await client.deleteRoom(name);
  await expect(client.createRoom({ serviceTag: tag, idempotencyKey })).rejects.toBeInstanceOf(RoomGoneError);
});
