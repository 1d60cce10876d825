/** A server with scripted responses, and a client that records its waits instead of waiting. */
import { onTestFinished } from "vitest";
import { type ClientOptions, createClientWith } from "../../client/src/client.ts";
import { createRuntime, type Runtime } from "../../client/src/runtime.ts";
import type { GetToken } from "../../client/src/tokens.ts";
import {
  type Answer,
  type LoopbackRequest,
  startLoopbackServer,
} from "../../tools/simulators/loopback-server.ts";
import { createManualClock } from "../../tools/simulators/memory/clock.ts";

export const room = {
  id: 7,
  name: "WsOWh_sZ3K5Z5lYTppNVJV3y",
  service_type: "conference",
  allow_guests: true,
  guest_pin: "771204",
  tag: "https://verify.example.com/sessions/8d1f",
  aliases: [{ alias: "WsOWh_sZ3K5Z5lYTppNVJV3y" }],
};

/** Returns the tokens `token-1`, `token-2` and so on, each valid for an hour. */
function countedTokens(): GetToken {
  let count = 0;
  return async () => {
    count += 1;
    return { accessToken: `token-${count}`, expiresInSeconds: 3600 };
  };
}

/** Starts a server that sends these responses, the last one repeatedly. It stops after the test. */
export async function startScriptedGateway(
  answers: readonly (Answer | ((request: LoopbackRequest) => Answer | Promise<Answer>))[],
  options: Partial<ClientOptions> = {},
) {
  /** All requests in the order of their arrival. */
  const requests: LoopbackRequest[] = [];
  const server = await startLoopbackServer(async (request) => {
    const answer = answers[Math.min(requests.length, answers.length - 1)] ?? { status: 500 };
    requests.push(request);
    return typeof answer === "function" ? answer(request) : answer;
  });
  onTestFinished(server.stop);
  const clock = createManualClock();
  /** The waits before retries, in seconds. */
  const waits: number[] = [];
  const runtime: Runtime = {
    ...createRuntime(),
    now: () => clock.now(),
    random: () => 0,
    wait: async (milliseconds, signal) => {
      signal?.throwIfAborted();
      waits.push(milliseconds / 1000);
      clock.advance(milliseconds / 1000);
    },
  };
  const clientWith = (changes: Partial<Runtime>) =>
    createClientWith(
      { ...runtime, ...changes },
      { getToken: countedTokens(), ...options, baseUrl: server.url },
    );
  return { url: server.url, client: clientWith({}), clientWith, clock, runtime, requests, waits };
}

/** Returns what a call throws. */
export async function thrownBy(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => "no error",
    (error: unknown) => error,
  );
}
