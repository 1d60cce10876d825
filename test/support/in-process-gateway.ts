/** The functions in the test's own process, with their real dependencies, connected to a development stack. */
import {
  type HttpHandler,
  HttpRequest,
  HttpResponse,
  type HttpResponseInit,
  InvocationContext,
} from "@azure/functions";
import { beforeEach } from "vitest";
import type { Access } from "../../src/lib/auth/access.ts";
import { createCredential } from "../../src/lib/azure/credential.ts";
import { openQueues } from "../../src/lib/azure/storage-queue.ts";
import {
  type Adapters,
  createAdapters,
  createDependencies,
  type Dependencies,
} from "../../src/lib/dependencies.ts";
import type { HttpFunction } from "../../src/lib/http/contract.ts";
import { toHandler } from "../../src/lib/http/pipeline.ts";
import { loadSettings, type Settings } from "../../src/lib/settings/settings.ts";
import { startDevelopmentStack } from "../../tools/simulators/development-stack.ts";
import { identities } from "../../tools/simulators/identities.ts";
import { parseJson } from "../../tools/simulators/process/parse-json.ts";
import { asAgent, asEventSink } from "./credentials.ts";
import { encodeBody, type Received, type Sent } from "./exchange.ts";
import { guestPin, stackRooms } from "./stack-rooms.ts";
import { pauseTolerantSeconds } from "./timeouts.ts";
import { useStarted } from "./use-started.ts";

type Definition = HttpFunction<Dependencies>;

interface FunctionCall extends Sent {
  readonly query?: Record<string, string>;
  readonly roomName?: string;
}

interface FunctionResponse extends Received {
  /** The code of the failure in the request's log line. */
  readonly code: string | undefined;
}

export type InProcessGateway = Awaited<ReturnType<typeof startInProcessGateway>>;

/** The guest PIN and the tag of rooms that `addRoom` adds. */
export const roomSecrets = {
  guestPin,
  tag: "https://verify.example.com/sessions/made-up",
} as const;

/** One gateway for all tests of the file. Each test finds an empty platform, empty queues and new dependencies. */
export function useInProcessGateway(): InProcessGateway {
  const gateway = useStarted(startInProcessGateway);
  beforeEach(async () => gateway.reset());
  return gateway;
}

const openAdapters = (settings: Settings): Adapters => ({
  ...createAdapters(settings),
  queues: openQueues({
    storage: settings.storage,
    credential: createCredential(settings.storage),
    timeoutSeconds: pauseTolerantSeconds,
  }),
});

async function startInProcessGateway() {
  const stack = await startDevelopmentStack();
  const log: string[] = [];
  const { queues } = openAdapters(loadSettings(stack.settings));
  let dependencies = connect();

  /** Creates dependencies without cached keys or tokens; `overrides` replace settings. */
  function connect(overrides: Record<string, string> = {}): Dependencies {
    const settings = loadSettings({ ...stack.settings, ...overrides });
    return createDependencies(settings, openAdapters(settings));
  }

  async function reset(): Promise<void> {
    await stack.platform.goUp();
    stack.platform.reset();
    stack.issuer.setDown(false);
    stack.contactCentre.clearFaults();
    stack.logWorkspace.clearFaults();
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

  const asApplication = () => ({ authorization: `Bearer ${stack.issuer.issueToken(identities.clientId)}` });

  function credentialsFor(access: Access): Record<string, string> {
    if (access === "application") return asApplication();
    if (access === "agent") return asAgent;
    return access === "event-sink" ? asEventSink() : {};
  }

  /** Sends a request with exactly the given headers through the whole pipeline of a function. */
  async function callAsGiven(definition: Definition, sent: FunctionCall = {}): Promise<FunctionResponse> {
    const handler: HttpHandler = toHandler(definition, dependencies);
    const init = await handler(toRequest(definition, sent), createContext("underTest"));
    const response = new HttpResponse(init as HttpResponseInit);
    const { status } = response;
    const headers = Object.fromEntries(response.headers);
    const text = await response.text();
    const requestLine = log.findLast((line) => line.includes('"event":"request"')) ?? "";
    const code = /"code":"([a-z-]+)"/.exec(requestLine)?.[1];
    return { status, headers, text, json: parseJson(text), code };
  }

  return {
    stack,
    queues,
    log,
    reset,
    connect,
    callAsGiven,
    /** Like `callAsGiven`, with the credentials that the function requires. */
    call: async (definition: Definition, sent: FunctionCall = {}) => {
      const headers = { ...credentialsFor(definition.access), ...sent.headers };
      return callAsGiven(definition, { ...sent, headers });
    },
    createContext,
    dependencies: () => dependencies,
    ...stackRooms(stack, queues, { tag: roomSecrets.tag }),
    /** Receives all visible messages of a queue and returns their texts. */
    receiveTexts: async (queue: "pool" | "deletion" | "provisioning") =>
      (await queues[queue].receive(32, 1)).map(({ text }) => text),
    stop: async () => stack.stop(),
  };
}

function toRequest({ method, route }: Definition, sent: FunctionCall): HttpRequest {
  const { body, headers } = encodeBody(sent);
  const query = new URLSearchParams(sent.query).toString();
  return new HttpRequest({
    method,
    url: `http://127.0.0.1/${route.split("{")[0]}${query === "" ? "" : `?${query}`}`,
    params: sent.roomName === undefined ? {} : { room_name: sent.roomName },
    headers: { ...headers, ...sent.headers },
    ...(body !== undefined && { body: { string: body } }),
  });
}
