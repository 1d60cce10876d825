/** The client for the agents' widget, a page in a browser. */
import { checkClientOptions, kindOf } from "./options.ts";
import { createRuntime } from "./runtime.ts";
import { type CallOptions, createSend, type Hooks, roomPath } from "./send.ts";
import type { PublicRoom } from "./types.ts";

export interface WidgetClientOptions {
  /** The gateway's URL, for example `https://gateway.example.com`. */
  readonly baseUrl: string;
  /** Returns the agent's token of the contact centre. Without one, calls fail as if the agent had to log in again. */
  readonly getToken: () => string | null | Promise<string | null>;
  readonly hooks?: Hooks;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch;
}

export interface WidgetClient {
  /**
   * Reads the room of a conversation. Call it once per conversation: each check of a token uses the agent's own quota.
   * Throws a NotAuthenticatedError if the agent must log in again, a NotAuthorizedError if the agent is not in an
   * authorised division, a RoomGoneError if there is no such room, and an UnavailableError if waiting may help.
   */
  readonly getRoom: (name: string, options?: CallOptions) => Promise<PublicRoom>;
}

/** Creates a client. Throws a TypeError if an option is not usable. */
export function createWidgetClient(options: WidgetClientOptions): WidgetClient {
  const baseUrl = checkClientOptions("createWidgetClient", options);
  const send = createSend({
    baseUrl,
    hooks: options.hooks ?? {},
    runtime: createRuntime(options.fetch),
    authentication: {
      getToken: async () => {
        const token: unknown = (await options.getToken()) ?? "";
        if (typeof token === "string") return token;
        throw new TypeError(
          `createWidgetClient: getToken must return a string or null; got ${kindOf(token)}`,
        );
      },
      toHeaders: (token) => ({ "x-auth-token": token }),
    },
  });
  return {
    getRoom: async (name, callOptions) => {
      const path = roomPath("/public/room", name);
      const { body } = await send({ method: "GET", path, kind: "room" }, callOptions);
      return body as PublicRoom;
    },
  };
}

export * from "./errors.ts";
export type { CallOptions, Hooks, RequestEvent, ResponseEvent, RetryEvent } from "./send.ts";
export type { Alias, PublicRoom } from "./types.ts";
