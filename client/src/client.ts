/** The client for server-side consumers. */
import { GatewayError, RoomGoneError } from "./errors.ts";
import { checkClientOptions, checkOptions, kindOf } from "./options.ts";
import { createRuntime, type Runtime } from "./runtime.ts";
import { type Call, type CallOptions, callOptionNames, createSend, type Hooks, roomPath } from "./send.ts";
import { encodeServiceTag } from "./service-tag.ts";
import { createTokenCache, type GetToken } from "./tokens.ts";
import type { CreatedRoom, FullRoom, Health, Room, RoomChange } from "./types.ts";

export interface ClientOptions {
  /** The gateway's URL, for example `https://gateway.example.com`. Undefined, as from a missing variable, throws. */
  readonly baseUrl: string | undefined;
  /** Usually the result of `clientCredentials`. */
  readonly getToken: GetToken;
  readonly hooks?: Hooks;
  /** Replaces the global `fetch`, for example to use a proxy. */
  readonly fetch?: typeof fetch;
}

export interface CreateRoomOptions extends CallOptions {
  /** A tag that `encodeServiceTag` accepts. Without one, the room's tag is not changed. */
  readonly serviceTag?: string;
  /** The default is a random UUID. All attempts of a call send the same key. */
  readonly idempotencyKey?: string;
}

export interface FillPoolOptions extends CallOptions {
  /** The number of rooms that the pool should contain. The default is the environment's own maximum. */
  readonly rooms?: number;
}

/** Every method throws a GatewayError if its call fails. */
export interface GatewayClient {
  /** Takes a room from the pool. Throws a PoolEmptyError if there is none. */
  readonly createRoom: (options?: CreateRoomOptions) => Promise<CreatedRoom>;
  readonly getRoom: (name: string, options?: CallOptions) => Promise<Room>;
  readonly getFullRoom: (name: string, options?: CallOptions) => Promise<FullRoom>;
  /** Lists all rooms of the platform, including services that are not rooms. */
  readonly listRooms: (options?: CallOptions) => Promise<Room[]>;
  readonly listFullRooms: (options?: CallOptions) => Promise<FullRoom[]>;
  readonly updateRoom: (name: string, change: RoomChange, options?: CallOptions) => Promise<void>;
  /** Deletes a room, even if it has participants. */
  readonly deleteRoom: (name: string, options?: CallOptions) => Promise<void>;
  /** Requests enough rooms to fill the pool. They are provisioned in the background. */
  readonly fillPool: (options?: FillPoolOptions) => Promise<void>;
  /** Deletes all rooms of the gateway and empties the pool. */
  readonly deleteAllRooms: (options?: CallOptions) => Promise<void>;
  readonly checkHealth: (options?: CallOptions) => Promise<Health>;
}

/** Creates a client. Throws a TypeError if an option is not usable. */
export function createClient(options: ClientOptions): GatewayClient {
  const baseUrl = checkClientOptions("createClient", options);
  return createClientWith(createRuntime(options.fetch), { ...options, baseUrl });
}

// A key has no comma, which the Functions host puts between two headers of one name.
const keyPattern = /^[\x21-\x2b\x2d-\x7e]{1,255}$/;
const full = { constrained_attributes: "false" };

// The timeouts of single attempts: docs/integration.md, "What each status means".
const listSeconds = 70;
const bulkDeleteSeconds = 200;

/** Creates a client with this runtime and a checked URL. */
export function createClientWith(
  runtime: Runtime,
  options: ClientOptions & { readonly baseUrl: string },
): GatewayClient {
  const tokens = createTokenCache(options.getToken, runtime);
  const send = createSend({
    baseUrl: options.baseUrl,
    hooks: options.hooks ?? {},
    runtime,
    authentication: {
      getToken: tokens.get,
      rejectToken: tokens.reject,
      toHeaders: (token) => ({ authorization: `Bearer ${token}` }),
    },
  });
  const roomCall = (method: Call["method"], name: string, more: Partial<Call> = {}): Call => ({
    method,
    path: roomPath("/room", name),
    kind: "room",
    ...more,
  });
  const list = { method: "GET", path: "/room/list", attemptSeconds: listSeconds } as const;
  const read = async <Body>(call: Call, callOptions?: CallOptions): Promise<Body> =>
    (await send(call, callOptions)).body as Body;

  return {
    createRoom: async (options = {}) => {
      checkOptions("createRoom", options, ["serviceTag", "idempotencyKey", ...callOptionNames]);
      const { serviceTag, idempotencyKey = crypto.randomUUID(), ...callOptions } = options;
      if (typeof idempotencyKey !== "string" || !keyPattern.test(idempotencyKey))
        throw new TypeError("An idempotency key has 1 to 255 visible ASCII characters without a comma");
      const headers = { "idempotency-key": idempotencyKey };
      const query = serviceTag === undefined ? undefined : { uuiData: encodeServiceTag(serviceTag) };
      try {
        const call = { method: "POST", path: "/room/create", kind: "create", headers, query } as const;
        return await read(call, callOptions);
      } catch (error) {
        if (error instanceof GatewayError) error.idempotencyKey = idempotencyKey;
        throw error;
      }
    },
    getRoom: async (name, callOptions) => read(roomCall("GET", name), callOptions),
    getFullRoom: async (name, callOptions) => read(roomCall("GET", name, { query: full }), callOptions),
    listRooms: async (callOptions) => read(list, callOptions),
    listFullRooms: async (callOptions) => read({ ...list, query: full }, callOptions),
    updateRoom: async (name, change, callOptions) => {
      if (typeof change !== "object" || change === null || Array.isArray(change))
        throw new TypeError(`updateRoom: the change must be an object; got ${kindOf(change)}`);
      await send(roomCall("PATCH", name, { json: change }), callOptions);
    },
    deleteRoom: async (name, callOptions) => {
      try {
        await send(roomCall("DELETE", name), callOptions);
      } catch (error) {
        // An attempt whose response was lost may have deleted the room.
        if (!(error instanceof RoomGoneError && error.attempts > 1)) throw error;
      }
    },
    fillPool: async (options = {}) => {
      checkOptions("fillPool", options, ["rooms", ...callOptionNames]);
      const { rooms, ...callOptions } = options;
      if (rooms !== undefined && !(Number.isInteger(rooms) && rooms >= 0))
        throw new TypeError("fillPool: rooms must be a whole number from 0");
      const query = rooms === undefined ? undefined : { max_vmr: String(rooms) };
      await send({ method: "POST", path: "/room/bulk/", query }, callOptions);
    },
    deleteAllRooms: async (callOptions) => {
      await send({ method: "DELETE", path: "/room/bulk/", attemptSeconds: bulkDeleteSeconds }, callOptions);
    },
    checkHealth: async (callOptions) =>
      read({ method: "GET", path: "/public/health", isAnonymous: true }, callOptions),
  };
}
