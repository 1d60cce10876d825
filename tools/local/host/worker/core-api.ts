/** Provides the runtime module that the app's @azure/functions package requires, and stores its registrations. */
import { Module } from "node:module";
import type { Binding, FunctionMetadata, HttpResponseData, LogLevel, TypedData } from "./messages.ts";

type FunctionCallback = (...inputs: unknown[]) => unknown;

interface InvocationRequest {
  readonly invocationId: string;
  readonly functionId: string;
  readonly inputData: { name: string; data: TypedData }[];
  readonly triggerMetadata: Record<string, TypedData>;
  readonly traceContext: { traceParent: string; traceState: string; attributes: Record<string, string> };
}

export interface CoreInvocationContext {
  readonly invocationId: string;
  readonly request: InvocationRequest;
  readonly metadata: FunctionMetadata;
  log(level: LogLevel, category: string, message: string): void;
}

interface InvocationModel {
  getArguments(): Promise<{ context: object; inputs: unknown[] }>;
  invokeFunction(context: object, inputs: unknown[], callback: FunctionCallback): Promise<unknown>;
  getResponse(
    context: object,
    result: unknown,
  ): Promise<{ returnValue?: { http?: HttpResponseData } | null | undefined }>;
}

export interface ProgrammingModel {
  getInvocationModel(context: CoreInvocationContext): InvocationModel;
  getCapabilities(capabilities: Record<string, string>): Promise<Record<string, string>>;
}

export interface RegisteredFunction {
  readonly metadata: FunctionMetadata;
  readonly triggerName: string;
  readonly trigger: Binding;
  readonly callback: FunctionCallback;
}

export interface Registrations {
  model: ProgrammingModel | undefined;
  readonly functions: Map<string, RegisteredFunction>;
  /** Set once the app is loaded. As in the real worker, later registrations are errors. */
  closed: boolean;
}

/**
 * Installs `@azure/functions-core` for every later `require`, bundled or not, and returns the store of registrations. Call
 * it before the app is imported, because the library requires the module only once.
 */
export function installCoreApi(
  log: (level: LogLevel, category: string, message: string) => void,
): Registrations {
  const registrations: Registrations = {
    model: undefined,
    functions: new Map(),
    closed: false,
  };
  const coreApi = {
    version: "0.0.0-local",
    hostVersion: "4.0.0-local",
    setProgrammingModel: (model: ProgrammingModel) => {
      registrations.model = model;
    },
    getProgrammingModel: () => registrations.model,
    registerFunction: (metadata: FunctionMetadata, callback: FunctionCallback) =>
      registerFunction(registrations, metadata, callback),
    registerHook: (name: string) => {
      // By this property the library recognizes a host that does not know a hook.
      throw Object.assign(new RangeError(`Unknown hook "${name}".`), { isAzureFunctionsSystemError: true });
    },
    log,
  };
  // oxlint-disable-next-line typescript/unbound-method -- called with its `this` below
  const originalRequire = Module.prototype.require;
  Module.prototype.require = function (this: Module, id: string): unknown {
    return id === "@azure/functions-core" ? coreApi : originalRequire.call(this, id);
  };
  return registrations;
}

function registerFunction(
  registrations: Registrations,
  metadata: FunctionMetadata,
  callback: FunctionCallback,
): { dispose(): void } {
  const { name } = metadata;
  if (registrations.closed) {
    throw new Error(`The function "${name}" cannot be registered after the app has started.`);
  }
  if (registrations.functions.has(name)) throw new Error(`A function named "${name}" is registered already.`);
  const entry = Object.entries(metadata.bindings).find(([, binding]) => /trigger$/i.test(binding.type));
  if (!entry) throw new Error(`The function "${name}" has no trigger.`);
  registrations.functions.set(name, { metadata, triggerName: entry[0], trigger: entry[1], callback });
  return { dispose: () => registrations.functions.delete(name) };
}
