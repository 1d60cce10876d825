/** Makes an HTTP function from its contract and a handler that gets checked input only. */
import * as z from "zod";
import type { Answer, BodyContract, HttpContract, HttpFunction } from "./http-contract.ts";
import type { Log } from "./log.ts";
import { validate } from "./validation.ts";

type Handle<Input, Needs> = (input: Input, needs: Needs, log: Log) => Promise<Answer> | Answer;

export interface HttpFunctionDefinition<Query, Needs> extends HttpContract {
  readonly query: z.ZodType<Query>;
  readonly handle: Handle<{ query: Query; roomName: string }, Needs>;
}

export interface BodyFunctionDefinition<Body, Needs> extends HttpContract {
  readonly body: BodyContract<Body>;
  readonly handle: Handle<{ body: Body; roomName: string }, Needs>;
}

/** For functions that take no query parameters. */
export const noQuery = z.object({});

/** A function without a body; its query is checked before `handle` runs. */
export function httpFunction<Query, Needs>(
  definition: HttpFunctionDefinition<Query, Needs>,
): HttpFunction<Needs> {
  const { handle, ...contract } = definition;
  return {
    ...contract,
    respond: async ({ query, roomName }, needs, log) =>
      handle({ query: validate(contract.query, query, "query"), roomName }, needs, log),
  };
}

/** A function with a JSON body, which is bounded, decoded and checked before `handle` runs. */
export function bodyFunction<Body, Needs>(
  definition: BodyFunctionDefinition<Body, Needs>,
): HttpFunction<Needs> {
  const { handle, ...contract } = definition;
  return {
    ...contract,
    respond: async ({ readBody, roomName }, needs, log) => {
      const body = validate(contract.body.schema, await readBody(contract.body), "body");
      return handle({ body, roomName }, needs, log);
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
