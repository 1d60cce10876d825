/** The contract of an HTTP function: the gateway enforces it, and the API document is generated from it. */
import type * as z from "zod";
import type { Access, Caller } from "../auth/access.ts";
import type { FailureCode, ValidationFault } from "../errors.ts";
import type { Log, LogFields } from "../log.ts";
import type { QuerySchema } from "./validation.ts";

/** What a function requires of a request body. */
export interface BodyContract<Body> {
  readonly schema: z.ZodType<Body>;
  /** What the API document publishes, if `schema` also accepts what callers need not send. */
  readonly published?: z.ZodType;
  readonly maxBytes: number;
  /** Whether only JSON content types are accepted, as in FastAPI. */
  readonly requiresJsonType: boolean;
}

/** An example in the API document. Viewers show its name if it has no summary. */
interface Example {
  readonly summary?: string;
  readonly value: unknown;
}

/** By name. A single example is shown without its name. */
export type Examples = Readonly<Record<string, Example>>;

/** What the API document shows of a function, all of it fictitious. Parameters have their example in their schema. */
interface ContractExamples {
  readonly request?: Examples;
  /** Success bodies. */
  readonly response?: Examples;
  /** Typical faults of the input, each the only one of a 422 response. */
  readonly faults?: FaultExamples;
}

/** By name. */
export type FaultExamples = Readonly<
  Record<string, { readonly summary: string; readonly fault: ValidationFault }>
>;

/** What an HTTP function states about itself. */
export interface HttpContract {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Whether HEAD is answered as GET is, without the body. Defaults to false. */
  readonly answersHead?: boolean;
  /** An ASP.NET route template. Its only parameter is `{room_name}`. */
  readonly route: string;
  readonly access: Access;
  readonly summary: string;
  readonly description: string;
  readonly isDeprecated?: boolean;
  readonly query?: QuerySchema<unknown>;
  /** The request headers that the function reads, as an object schema with lower-case keys. */
  readonly headers?: z.ZodType;
  readonly body?: BodyContract<unknown>;
  /** The success statuses, each with the schema of its body, or null if there is none. */
  readonly responses: Readonly<Record<number, z.ZodType | null>>;
  /** The possible failures, except those that follow from `access`, `query`, `headers` and `body`. */
  readonly failures: readonly FailureCode[];
  readonly examples?: ContractExamples;
}

/** What a function returns: a status and, unless the response is empty, a body to write as JSON. */
export interface FunctionResponse {
  readonly status: number;
  readonly body?: object;
  /** Fields for the request's line in the log. */
  readonly logFields?: LogFields;
}

/** A request's input before validation, and its caller. */
export interface UncheckedInput {
  readonly caller: Caller;
  /** All headers, with lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** As it was sent. The host's own query joins repeated parameters, so they cannot be recognised there. */
  readonly query: URLSearchParams;
  /** Reads the body as text. */
  readonly readText: () => Promise<string>;
  /** Reads and parses the body within the limits of `contract`. */
  readonly readBody: (contract: BodyContract<unknown>) => Promise<unknown>;
  /** The decoded `{room_name}`, or an empty string if the route has no parameter. */
  readonly roomName: string;
}

/** An HTTP function, ready to be registered once its `Dependencies` are known. */
export interface HttpFunction<Dependencies> extends HttpContract {
  /** Validates the input and handles it. Throws GatewayError for an expected failure. */
  readonly invoke: (input: UncheckedInput, dependencies: Dependencies, log: Log) => Promise<FunctionResponse>;
}

/** What `handle` receives of every request. */
export interface CommonInput<Headers> {
  readonly caller: Caller;
  /** The validated headers, or undefined if the contract has no schema for them. */
  readonly headers: Headers;
  readonly roomName: string;
  /** Reads the body as text, for functions whose contract has no body. */
  readonly readText: () => Promise<string>;
}

type Handle<Input, Dependencies> = (
  input: Input,
  dependencies: Dependencies,
  log: Log,
) => Promise<FunctionResponse> | FunctionResponse;

/** The contract and the `handle` of a function without a body. */
export interface QueryFunctionDefinition<Query, Dependencies, Headers> extends HttpContract {
  readonly query: QuerySchema<Query>;
  readonly headers?: z.ZodType<Headers>;
  readonly handle: Handle<CommonInput<Headers> & { readonly query: Query }, Dependencies>;
}

/** The contract and the `handle` of a function with a JSON body. */
export interface BodyFunctionDefinition<Body, Dependencies, Headers> extends HttpContract {
  readonly body: BodyContract<Body>;
  readonly headers?: z.ZodType<Headers>;
  readonly handle: Handle<CommonInput<Headers> & { readonly body: Body }, Dependencies>;
}
