/** Builds an HTTP function from its contract and a `handle` that receives validated input only. */
import * as z from "zod";
import type { Log } from "../log.ts";
import type { BodyContract, FunctionResponse, HttpContract, HttpFunction } from "./contract.ts";
import { validate } from "./validation.ts";

type Handle<Input, Dependencies> = (
  input: Input,
  dependencies: Dependencies,
  log: Log,
) => Promise<FunctionResponse> | FunctionResponse;

/** The contract and the `handle` of a function without a body. */
export interface QueryFunctionDefinition<Query, Dependencies> extends HttpContract {
  readonly query: z.ZodType<Query>;
  readonly handle: Handle<{ readonly query: Query; readonly roomName: string }, Dependencies>;
}

/** The contract and the `handle` of a function with a JSON body. */
export interface BodyFunctionDefinition<Body, Dependencies> extends HttpContract {
  readonly body: BodyContract<Body>;
  readonly handle: Handle<{ readonly body: Body; readonly roomName: string }, Dependencies>;
}

/** The query of functions that have no query parameters. Parameters sent anyway are ignored. */
export const noQuery = z.object({});

/**
 * Returns a function without a body. `respond` validates the query before it calls `handle`, and throws
 * `invalid-request` if the query is not valid.
 */
export function queryFunction<Query, Dependencies>(
  definition: QueryFunctionDefinition<Query, Dependencies>,
): HttpFunction<Dependencies> {
  const { handle, ...contract } = definition;
  return {
    ...contract,
    respond: async ({ query, roomName }, dependencies, log) =>
      handle({ query: validate(contract.query, query, "query"), roomName }, dependencies, log),
  };
}

/**
 * Returns a function with a JSON body. `respond` reads and validates the body before it calls `handle`, and throws
 * `length-required`, `body-too-large` or `invalid-request` if it cannot.
 */
export function bodyFunction<Body, Dependencies>(
  definition: BodyFunctionDefinition<Body, Dependencies>,
): HttpFunction<Dependencies> {
  const { handle, ...contract } = definition;
  return {
    ...contract,
    respond: async ({ readBody, roomName }, dependencies, log) => {
      const body = validate(contract.body.schema, await readBody(contract.body), "body");
      return handle({ body, roomName }, dependencies, log);
    },
  };
}

/** Returns a response with a JSON body. */
export function json(status: number, body: object): FunctionResponse {
  return { status, body };
}

/** Returns a response without a body. */
export function empty(status: number): FunctionResponse {
  return { status };
}
