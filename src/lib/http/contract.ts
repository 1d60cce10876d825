/** What an HTTP function states about itself: the gateway enforces it, and the API document is made from it. */
import type * as z from "zod";
import type { FailureCode } from "../errors.ts";
import type { Log } from "../log.ts";

/**
 * Who may call: `application` by bearer token, `agent` by contact-centre token, `event-sink` by HTTP Basic, or `anyone`.
 * There is no default, so that it cannot be forgotten.
 */
export type Access = "application" | "agent" | "event-sink" | "anyone";

export interface BodyContract<Body> {
  readonly schema: z.ZodType<Body>;
  readonly maxBytes: number;
  /** Whether a body of another Content-Type than JSON is refused, as FastAPI does. */
  readonly requiresJsonType: boolean;
}

export interface HttpContract {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** ASP.NET route template; `{room_name}` is the only parameter there is. */
  readonly route: string;
  readonly access: Access;
  readonly summary: string;
  readonly description: string;
  readonly isDeprecated?: boolean;
  readonly query?: z.ZodType;
  readonly body?: BodyContract<unknown>;
  /** The successful statuses, each with the schema of its body or null for an empty one. */
  readonly answers: Readonly<Record<number, z.ZodType | null>>;
  /** The failures it can answer, besides those that follow from access, query and body. */
  readonly failures: readonly FailureCode[];
}

export interface Answer {
  readonly status: number;
  /** Written as JSON; absent for an empty body. */
  readonly body?: object;
}

/** Input as it stands on the wire, before it is checked. */
interface UncheckedInput {
  readonly query: Readonly<Record<string, string>>;
  /** Reads, bounds and decodes the body. */
  readonly readBody: (contract: BodyContract<unknown>) => Promise<unknown>;
  /** The decoded `{room_name}`; empty where the route has none. */
  readonly roomName: string;
}

/** An HTTP function whose dependencies are `Dependencies`. */
export interface HttpFunction<Dependencies> extends HttpContract {
  readonly respond: (input: UncheckedInput, dependencies: Dependencies, log: Log) => Promise<Answer>;
}
