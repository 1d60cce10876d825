/** The functions in the test's own process, with their real dependencies, connected to a development stack. */
import {
  type HttpHandler,
  HttpRequest,
  HttpResponse,
  type HttpResponseInit,
  InvocationContext,
} from "@azure/functions";
import { startDevelopmentStack } from "../../local/gateway/development-stack.ts";
import { identities } from "../../local/gateway/identities.ts";
import type { HttpFunction } from "../../src/lib/http/contract.ts";
import { toHandler } from "../../src/lib/http/handler.ts";
import { openQueues } from "../../src/lib/queues/storage-account.ts";
import { toNewConference } from "../../src/lib/rooms/new-room.ts";
import { loadSettings } from "../../src/lib/settings/load-settings.ts";
import type { Settings } from "../../src/lib/settings/settings.ts";
import { type Adapters, createAdapters } from "../../src/lib/wiring/adapters.ts";
import { createCredential } from "../../src/lib/wiring/credential.ts";
import { createDependencies, type Dependencies } from "../../src/lib/wiring/dependencies.ts";
import { maxStandstillSeconds } from "./standstill.ts";

export interface Call {
  readonly query?: Record<string, string>;
  readonly headers?: Record<string, string>;
  /** Sent as JSON, with its Content-Type and length. */
  readonly json?: unknown;
  /** Sent as it is. */
  readonly text?: string;
  readonly roomName?: string;
}

export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined for an empty one. */
  readonly json: unknown;
  /** The failure's code as the log of the request has it. */
  readonly code: string | undefined;
}

export type InProcessGateway = Awaited<ReturnType<typeof startInProcessGateway>>;

/** A guest PIN and a tag that rooms made by `addRoom` have. */
export const roomSecrets = {
  guestPin: "135790",
  tag: "https://verify.example.com/sessions/made-up",
} as const;

const openAdapters = (settings: Settings): Adapters => ({
  ...createAdapters(settings),
  queues: openQueues({
    storage: settings.storage,
    credential: createCredential(settings.storage),
    timeoutSeconds: maxStandstillSeconds,
  }),
});

/** Starts the stack. `reset` before each test gives it an empty platform, empty queues and fresh dependencies. */
export async function startInProcessGateway() {
  const stack = await startDevelopmentStack();
  const log: string[] = [];
  const adapters = openAdapters(loadSettings(stack.settings));
  const { queues } = adapters;
  let dependencies = connect();

  /** New dependencies, which know no key and no verdict yet; `overrides` replace settings. */
  function connect(overrides: Record<string, string> = {}): Dependencies {
    const settings = loadSettings({ ...stack.settings, ...overrides });
    return createDependencies(settings, openAdapters(settings));
  }

  async function reset(): Promise<void> {
    await stack.platform.goUp();
    stack.platform.reset();
    stack.issuer.setDown(false);
    stack.contactCentre.clearFaults();
    stack.contactCentre.setLatency(0);
    stack.logWorkspace.clearFailures();
    await Promise.all(Object.values(queues).map(async (queue) => queue.clear()));
    log.length = 0;
    dependencies = connect();
  }

  function createContext(functionName: string, triggerMetadata: Record<string, unknown> = {}) {
    const logHandler = (level: string, ...parts: unknown[]) => void log.push(`${level} ${parts.join(" ")}`);
    return new InvocationContext({
      functionName,
      invocationId: "77777777-7777-4777-8777-777777777777",
      logHandler,
      triggerMetadata,
    });
  }

  /** Sends a request through the whole pipeline of a function. */
  async function call(
    definition: HttpFunction<Dependencies>,
    sent: Call = {},
    needs: Dependencies = dependencies,
  ): Promise<Received> {
    const handler: HttpHandler = toHandler(definition, needs);
    const answer = await handler(toRequest(definition, sent), createContext("underTest"));
    const response = new HttpResponse(answer as HttpResponseInit);
    const text = await response.text();
    const { status, headers } = response;
    const code = /"code":"([a-z-]+)"/.exec(
      log.findLast((line) => line.includes('"event":"request"')) ?? "",
    )?.[1];
    return { status, headers, text, json: text === "" ? undefined : JSON.parse(text), code };
  }

  /** A room of ours on the platform, as provisioning makes it. Gives its name. */
  function addRoom(name: string, fields: Record<string, unknown> = {}): string {
    const since = new Date().toISOString();
    const { hostPin } = identities;
    const room = toNewConference({ name, hostPin, guestPin: roomSecrets.guestPin, template: {}, since });
    stack.platform.seedRooms({ rows: [{ ...room, tag: roomSecrets.tag, ...fields }] });
    return name;
  }

  return {
    stack,
    adapters,
    queues,
    log,
    reset,
    connect,
    call,
    createContext,
    dependencies: () => dependencies,
    addRoom,
    /** A room of ours that the pool holds. */
    poolRoom: async (name: string, fields: Record<string, unknown> = {}) => {
      await queues.pool.put(addRoom(name, fields));
      return name;
    },
    room: (name: string): Record<string, unknown> | undefined =>
      stack.platform.rooms().find((room) => room.name === name),
    asApplication: () => ({ authorization: `Bearer ${stack.issuer.issueToken(identities.clientId)}` }),
    stop: async () => stack.stop(),
  };
}

/** The part of the dependencies that a test puts others in the place of, to reach an unexpected error. */
export const programmingError = async (): Promise<never> =>
  Promise.reject(new TypeError("a programming error"));

/** Settings whose storage refuses every connection: nothing listens on port 1. */
export function storageDown(settings: Record<string, string>): Record<string, string> {
  const AzureWebJobsStorage = (settings["AzureWebJobsStorage"] ?? "").replace(
    /127\.0\.0\.1:\d+/,
    "127.0.0.1:1",
  );
  return { AzureWebJobsStorage };
}

function toRequest({ method, route }: HttpFunction<Dependencies>, sent: Call): HttpRequest {
  const text = sent.json === undefined ? sent.text : JSON.stringify(sent.json);
  return new HttpRequest({
    method,
    url: `http://127.0.0.1/${route.split("{")[0]}`,
    query: sent.query ?? {},
    params: sent.roomName === undefined ? {} : { room_name: sent.roomName },
    headers: {
      ...(sent.json !== undefined && { "content-type": "application/json" }),
      ...(text !== undefined && { "content-length": String(Buffer.byteLength(text)) }),
      ...sent.headers,
    },
    ...(text !== undefined && { body: { string: text } }),
  });
}
