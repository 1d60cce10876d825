/** Builds an HTTP function from its contract and a `handle` that receives validated input only. */
import * as z from "zod";
import type { Caller } from "../auth/access.ts";
import type { Log } from "../log.ts";
import type {
  BodyContract,
  FunctionResponse,
  HttpContract,
  HttpFunction,
  UncheckedInput,
} from "./contract.ts";
import { type QuerySchema, readQuery } from "./query.ts";
import { validate } from "./validation.ts";

/** What `handle` receives of every request. */
interface CommonInput<Headers> {
  readonly caller: Caller;
  /** The validated headers, or undefined if the contract has no schema for them. */
  readonly headers: Headers;
  readonly roomName: string;
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

/** The query of functions that have no query parameters. Parameters sent anyway are ignored. */
export const noQuery = z.object({});

/**
 * Returns a function without a body. `respond` validates query and headers before it calls `handle`, and throws
 * `invalid-request` if they are not valid.
 */
export function queryFunction<Query, Dependencies, Headers = undefined>(
  definition: QueryFunctionDefinition<Query, Dependencies, Headers>,
): HttpFunction<Dependencies> {
  const { handle, ...contract } = definition;
  return {
    ...contract,
    respond: async ({ query, ...input }, dependencies, log) => {
      const validQuery = readQuery(contract.query, query);
      return handle({ ...toCommonInput(contract.headers, input), query: validQuery }, dependencies, log);
    },
  };
}

/**
 * Returns a function with a JSON body. `respond` validates the headers, then reads and validates the body before it
 * calls `handle`, and throws `length-required`, `body-too-large` or `invalid-request` if it cannot.
 */
export function bodyFunction<Body, Dependencies, Headers = undefined>(
  definition: BodyFunctionDefinition<Body, Dependencies, Headers>,
): HttpFunction<Dependencies> {
  const { handle, ...contract } = definition;
  return {
    ...contract,
    respond: async ({ readBody, ...input }, dependencies, log) => {
      const common = toCommonInput(contract.headers, input);
      const body = validate(contract.body.schema, await readBody(contract.body), "body");
      return handle({ ...common, body }, dependencies, log);
    },
  };
}

function toCommonInput<Headers>(
  schema: z.ZodType<Headers> | undefined,
  { caller, headers, roomName }: Omit<UncheckedInput, "query" | "readBody">,
): CommonInput<Headers> {
  return { caller, headers: validateHeaders(schema, headers), roomName };
}

// An overload, because without a schema the type parameter has its default, undefined.
function validateHeaders<Headers>(schema: z.ZodType<Headers> | undefined, headers: object): Headers;
function validateHeaders(schema: z.ZodType | undefined, headers: object): unknown {
  return schema && validate(schema, headers, "header");
}

/** Returns a response with a JSON body. */
export function json(status: number, body: object): FunctionResponse {
  return { status, body };
}

/** Returns a response without a body. */
export function empty(status: number): FunctionResponse {
  return { status };
}
