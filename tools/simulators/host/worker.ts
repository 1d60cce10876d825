/**
 * Entry point of the child process: loads the app named on the command line and serves the host's calls. It provides
 * the runtime module that the app's @azure/functions package requires.
 */
import { flushCompileCache, Module } from "node:module";
import { pathToFileURL } from "node:url";
import type { FromWorker, FunctionMetadata, HttpResponseData, Invocation, LogLevel } from "./messages.ts";

type Callback = (...inputs: unknown[]) => unknown;

/** The part of the library's interface that this host uses. */
interface ProgrammingModel {
  getInvocationModel(context: object): {
    getArguments(): Promise<{ context: object; inputs: unknown[] }>;
    invokeFunction(context: object, inputs: unknown[], callback: Callback): Promise<unknown>;
    getResponse(
      context: object,
      result: unknown,
    ): Promise<{ returnValue?: { http?: HttpResponseData } | null | undefined }>;
  };
  getCapabilities(capabilities: Record<string, string>): Promise<unknown>;
}

const functions = new Map<string, { readonly metadata: FunctionMetadata; readonly callback: Callback }>();
const startHooks = new Set<Callback>();
let model: ProgrammingModel | undefined;

const coreApi = {
  version: "0.0.0-local",
  hostVersion: "4.0.0-local",
  setProgrammingModel: (given: ProgrammingModel) => {
    model = given;
  },
  getProgrammingModel: () => model,
  registerFunction: (metadata: FunctionMetadata, callback: Callback) => {
    const { name } = metadata;
    if (functions.has(name)) throw new Error(`A function named "${name}" is registered already.`);
    functions.set(name, { metadata, callback });
  },
  /** Only `appStart` runs. */
  registerHook: (name: string, hook: Callback) => {
    if (name === "appStart") startHooks.add(hook);
  },
  log: (level: LogLevel, category: string, message: string) => sendLog(level, category, message),
};

// If the host is killed, the channel closes; the app must not outlive its host.
process.on("disconnect", () => process.exit(1));
process.on("message", (invocation: Invocation) => void serve(invocation));
// Before the app is imported, because the library requires the module only once.
installCoreApi();
await load(process.argv[2] ?? "");
// The process does not reach its end by itself.
flushCompileCache();

/** Provides `@azure/functions-core` to every later `require`, bundled or not. */
function installCoreApi(): void {
  // oxlint-disable-next-line typescript/unbound-method -- called with its `this` below
  const originalRequire = Module.prototype.require;
  Module.prototype.require = function (this: Module, id: string): unknown {
    return id === "@azure/functions-core" ? coreApi : originalRequire.call(this, id);
  };
}

async function load(entry: string): Promise<void> {
  try {
    await import(pathToFileURL(entry).href);
    await model?.getCapabilities({});
    for (const hook of startHooks) await hook({});
    send({ kind: "loaded", functions: Array.from(functions.values(), ({ metadata }) => metadata) });
  } catch (error) {
    // Like the real host, run on without functions if a module fails to load.
    send({ kind: "loaded", functions: [], error: describe(error) });
  }
}

async function serve(invocation: Invocation): Promise<void> {
  const { invocationId } = invocation;
  try {
    const response = await invoke(invocation);
    send({ kind: "ended", invocationId, ...(response && { response }) });
  } catch (error) {
    send({ kind: "ended", invocationId, error: describe(error) });
  }
}

/** Calls the function through the library and returns its HTTP response, if any. Throws what the function threw. */
async function invoke(invocation: Invocation): Promise<HttpResponseData | undefined> {
  const { invocationId, functionName, input, triggerMetadata = {} } = invocation;
  const registered = functions.get(functionName);
  if (!model || !registered) throw new Error(`The worker has no function named "${functionName}".`);
  const { metadata, callback } = registered;
  const [triggerName] =
    Object.entries(metadata.bindings).find(([, { type }]) => type.endsWith("Trigger")) ?? [];
  const call = model.getInvocationModel({
    invocationId,
    metadata,
    request: { inputData: [{ name: triggerName, data: input }], triggerMetadata, traceContext: {} },
    log: (level: LogLevel, category: string, message: string) =>
      sendLog(level, category, message, { functionName, invocationId }),
  });
  const { context, inputs } = await call.getArguments();
  const response = await call.getResponse(context, await call.invokeFunction(context, inputs, callback));
  return response.returnValue?.http;
}

function sendLog(
  level: LogLevel,
  category: string,
  message: string,
  call?: Pick<Invocation, "functionName" | "invocationId">,
): void {
  const source = call ? `Function.${call.functionName}` : "Worker.rpcWorkerProcess";
  const from = category === "user" ? `${source}.User` : source;
  send({ kind: "log", entry: { level, category: from, message, ...call } });
}

function send(message: FromWorker): void {
  process.send?.(message);
}

// Message and stack only: the properties of an HTTP client's error can hold credentials.
function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
