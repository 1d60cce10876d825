/** The client against a running gateway: a room's whole life, and every failure that a caller can meet. */
import { beforeEach, describe, expect, test } from "vitest";
import { startResponseCutter } from "../../test/support/forwarding-server.ts";
import { useRunningGateway } from "../../test/support/running-gateway.ts";
import { identities } from "../../tools/simulators/identities.ts";
import { createClientWith } from "../src/client.ts";
import {
  clientCredentials,
  type GatewayClient,
  type GetToken,
  PoolEmptyError,
  RoomGoneError,
} from "../src/index.ts";
import { createRuntime, type Runtime } from "../src/runtime.ts";
import { createWidgetClient } from "../src/widget.ts";

const tag = "https://verify.example.com/sessions/8d1f";
const { clientId, clientSecret } = identities;

const gateway = useRunningGateway();
beforeEach(async () => {
  await gateway.empty();
  await gateway.stack.platform.goUp();
});

interface ConnectOptions {
  readonly baseUrl?: string;
  readonly secret?: string;
  readonly getToken?: GetToken;
  /** Runs instead of the wait before a retry. */
  readonly wait?: Runtime["wait"];
}

function connect(options: ConnectOptions = {}): GatewayClient {
  const { tokenUrl } = gateway.stack.issuer;
  const { secret = clientSecret, wait = async () => undefined } = options;
  return createClientWith(
    { ...createRuntime(), wait },
    {
      baseUrl: options.baseUrl ?? gateway.url,
      getToken: options.getToken ?? clientCredentials({ tokenUrl, clientId, clientSecret: secret }),
    },
  );
}

const roomsWithTheTag = (): unknown[] =>
  gateway.stack.platform
    .rooms()
    .map(({ name }) => gateway.room(name))
    .filter((room) => room?.["tag"] === tag)
    .map((room) => room?.["name"]);

const connectWidget = (token: string) => createWidgetClient({ baseUrl: gateway.url, getToken: () => token });

test("A room's whole life: pooled, created, read, changed, listed, read by an agent, deleted", async () => {
  const client = connect();
  expect(await client.checkHealth()).toMatchObject({ status: "alive" });
  await client.fillPool({ rooms: 2 });
  expect(await gateway.settled()).toBe(2);

  const created = await client.createRoom({ serviceTag: tag });
  const { name, guest_pin } = created;
  expect(created).toMatchObject({ tag, aliases: [{ alias: name }] });
  expect(created).not.toHaveProperty("pin");
  expect(await client.getRoom(name)).toMatchObject({ name, guest_pin, tag, pin: identities.hostPin });
  await client.updateRoom(name, { participant_limit: 4 });
  expect(await client.getFullRoom(name)).toMatchObject({ name, tag, participant_limit: 4 });
  expect(await client.listRooms()).toContainEqual(expect.objectContaining({ name, guest_pin }));
  expect(await client.listFullRooms()).toContainEqual(
    expect.objectContaining({ name, participant_limit: 4 }),
  );

  const seen = await connectWidget(identities.agentToken).getRoom(name);
  expect(seen).toMatchObject({ name, guest_pin, tag });
  expect(seen).not.toHaveProperty("pin");

  await client.deleteRoom(name);
  await expect(client.getRoom(name)).rejects.toBeInstanceOf(RoomGoneError);
  await expect(client.deleteRoom(name)).rejects.toBeInstanceOf(RoomGoneError);
  await gateway.settled();
  await client.deleteAllRooms();
  expect(await client.listRooms()).toEqual([]);
});

describe("A lost response", () => {
  test("to a create yields the room that was handed out, not a second one", async () => {
    await gateway.fillPool(3);
    const proxy = await startResponseCutter(gateway.url);
    const client = connect({ baseUrl: proxy.url });
    proxy.cut(2);
    const { name } = await client.createRoom({ serviceTag: tag });
    expect(roomsWithTheTag()).toEqual([name]);
    const claims = gateway.logged("room-claimed").filter(({ message }) => message.includes(name));
    expect(claims).toHaveLength(1);
  });

  test("to the last attempt leaves the caller the key, which returns that room later", async () => {
    await gateway.fillPool(3);
    const proxy = await startResponseCutter(gateway.url);
    const client = connect({ baseUrl: proxy.url });
    proxy.cut(4);
    const error = await client.createRoom({ serviceTag: tag }).catch((thrown) => thrown);
    expect(error).toMatchObject({ name: "NoResponseError", attempts: 4 });
    const room = await client.createRoom({ serviceTag: tag, idempotencyKey: error.idempotencyKey });
    expect(roomsWithTheTag()).toEqual([room.name]);
  });

  test("to a deletion is not reported as a failure", async () => {
    const name = gateway.addRoom("to-be-deleted");
    const proxy = await startResponseCutter(gateway.url);
    proxy.cut(1);
    await connect({ baseUrl: proxy.url }).deleteRoom(name);
    expect(gateway.room(name)).toBeUndefined();
  });
});

describe("An empty pool", () => {
  test("is an error that says when to retry", async () => {
    // Too little time for a retry, at which the requested room could be ready.
    const call = connect().createRoom({ timeoutSeconds: 9 });
    const error = await call.catch((thrown) => thrown);
    expect(error).toBeInstanceOf(PoolEmptyError);
    expect(error).toMatchObject({ attempts: 1, retryAfterSeconds: 10 });
  });

  test("is not reported if a retry finds the requested room ready", async () => {
    const client = connect({ wait: async () => void (await gateway.settled()) });
    const { name } = await client.createRoom({ serviceTag: tag });
    expect(gateway.room(name)).toMatchObject({ tag });
  });
});

describe("A rejected field", () => {
  test("is the key if it was used with another tag", async () => {
    await gateway.fillPool(2);
    const client = connect();
    await client.createRoom({ serviceTag: tag, idempotencyKey: "key-1" });
    const again = client.createRoom({ serviceTag: `${tag}0`, idempotencyKey: "key-1" });
    await expect(again).rejects.toMatchObject({ fields: [{ name: "idempotency-key", in: "header" }] });
  });
});

test("A create with the key of a deleted room reports that the room is gone", async () => {
  await gateway.fillPool(2);
  const client = connect();
  const { name } = await client.createRoom({ idempotencyKey: "key-2" });
  await client.deleteRoom(name);
  await expect(client.createRoom({ idempotencyKey: "key-2" })).rejects.toBeInstanceOf(RoomGoneError);
});
