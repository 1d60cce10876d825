/** Everything for server-side consumers. */

export {
  type ClientOptions,
  type CreateRoomOptions,
  createClient,
  type FillPoolOptions,
  type GatewayClient,
} from "./client.ts";
export * from "./errors.ts";
export type { CallOptions, Hooks, RequestEvent, ResponseEvent, RetryEvent } from "./send.ts";
export { encodeServiceTag } from "./service-tag.ts";
export { type AccessToken, type ClientCredentials, clientCredentials, type GetToken } from "./tokens.ts";
export type { Alias, CreatedRoom, FullRoom, Health, Room, RoomChange } from "./types.ts";
