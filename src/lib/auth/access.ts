/** Who may call a function, and how that is checked. */
import type { Log } from "../log.ts";

/**
 * Who may call: `application` by bearer token, `agent` by contact-centre token, `event-sink` by HTTP Basic, or `anyone`.
 * There is no default, so no function can forget to state it.
 */
export type Access = "application" | "agent" | "event-sink" | "anyone";

/** The caller of a request, as the access check found it. `id` is the client ID of an allowed application. */
export type Caller =
  | { readonly kind: "application"; readonly id: string }
  | { readonly kind: "agent" }
  | { readonly kind: "event-sink"; readonly credentials: "current" | "previous" }
  | { readonly kind: "anyone" };

/** The check for one kind of access. Returns the caller. Rejects with a GatewayError if the caller has no access. */
type AccessCheck = (headers: Pick<Headers, "get">, log: Log) => Promise<Caller>;

/** One check for each kind of access. */
export type AccessChecks = Readonly<Record<Access, AccessCheck>>;
