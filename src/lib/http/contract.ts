/** The contract of an HTTP function, which the pipeline enforces and from which the API document is generated. */
import type * as z from "zod";
import type { Access, Caller } from "../auth/access.ts";
import type { FailureCode } from "../errors.ts";
import type { Log, LogFields } from "../log.ts";
import type { QuerySchema } from "./validation.ts";

/** A function's requirements for a request body. */
export interface BodyContract<Body> {
  readonly schema: z.ZodType<Body>;
  /** The schema in the API document, if `schema` also accepts fields that callers need not send. */
  readonly published?: z.ZodType;
  /** The most fields of the JSON object. With those of nested objects, there can be fifty times as many. */
  readonly maxFields?: number;
  /** Whether only JSON content types, UTF-8, and characters that the platform can store are accepted. */
  readonly requiresJsonType: boolean;
}

export interface HttpContract<Query = unknown, Headers = unknown, Body = unknown> {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Whether HEAD returns the response to GET without its body. Defaults to false. */
  readonly allowsHead?: boolean;
  /** An ASP.NET route template. Its only parameter is `{room_name}`. */
  readonly route: string;
  readonly access: Access;
  /** Whether an application needs the role AUTH_ADMINISTRATOR_ROLE, if it is set. Defaults to false. */
  readonly needsAdministrator?: boolean;
  readonly summary: string;
  readonly description: string;
  readonly isDeprecated?: boolean;
  /** The query parameters. Others are ignored. */
  readonly query?: QuerySchema<Query>;
  /** The request headers that the function reads, as an object schema with lower-case keys. */
  readonly headers?: z.ZodType<Headers>;
  readonly body?: BodyContract<Body>;
  /** The success statuses, each with the schema of its body, or null if there is none. */
  readonly responses: Readonly<Record<number, z.ZodType | null>>;
  /** The possible failures, except those that follow from `access`, `query`, `headers` and `body`. */
  readonly failures: readonly FailureCode[];
}

/** A function's response: a status and, unless the response is empty, a body to write as JSON. */
export interface FunctionResponse {
  readonly status: number;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** Fields for the request's line in the log. */
  readonly logFields?: LogFields;
}

/** The validated input of `handle`. `query`, `headers` and `body` are undefined if the contract has none. */
interface Input<Query, Headers, Body> {
  readonly caller: Caller;
  /** The decoded `{room_name}`, or an empty string if the route has no parameter. */
  readonly roomName: string;
  readonly query: Query;
  readonly headers: Headers;
  readonly body: Body;
  /** Reads the body as text, for functions whose contract has no body. */
  readonly readText: () => Promise<string>;
  /** Whether the Functions host may have dropped a body of JSON, which `readText` then lacks. */
  readonly hasDroppedJson: boolean;
}

/** An HTTP function: its contract, and what it does with a valid request. */
export interface HttpFunction<Dependencies, Query = unknown, Headers = unknown, Body = unknown>
  extends HttpContract<Query, Headers, Body> {
  /** Throws GatewayError for an expected failure. A method, so functions with different inputs have one type. */
  handle(
    input: Input<Query, Headers, Body>,
    dependencies: Dependencies,
    log: Log,
  ): Promise<FunctionResponse> | FunctionResponse;
}

/** Returns `definition` unchanged. The types of the input and the dependencies are inferred from it. */
export function httpFunction<Dependencies, Query = undefined, Headers = undefined, Body = undefined>(
  definition: HttpFunction<Dependencies, Query, Headers, Body>,
): HttpFunction<Dependencies> {
  return definition;
}
