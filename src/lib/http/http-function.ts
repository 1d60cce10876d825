/** Makes an HTTP function from its contract and a handler that gets checked input only. */
import * as z from "zod";
import type { Log } from "../log.ts";
import type { Answer, BodyContract, HttpContract, HttpFunction } from "./contract.ts";
import { validate } from "./validation.ts";

type Handle<Input, Dependencies> = (
  input: Input,
  dependencies: Dependencies,
  log: Log,
) => Promise<Answer> | Answer;

export interface QueryFunctionDefinition<Query, Dependencies> extends HttpContract {
  readonly query: z.ZodType<Query>;
  readonly handle: Handle<{ query: Query; roomName: string }, Dependencies>;
}

export interface BodyFunctionDefinition<Body, Dependencies> extends HttpContract {
  readonly body: BodyContract<Body>;
  readonly handle: Handle<{ body: Body; roomName: string }, Dependencies>;
}

/** For functions that take no query parameters. */
export const noQuery = z.object({});

/** A function without a body; its query is checked before `handle` runs. */
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

/** A function with a JSON body, which is bounded, decoded and checked before `handle` runs. */
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

/** An answer with a JSON body. */
export function json(status: number, body: object): Answer {
  return { status, body };
}

/** An answer without a body. */
export function empty(status: number): Answer {
  return { status };
}
