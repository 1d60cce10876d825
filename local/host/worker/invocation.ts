/** Runs one call of a function in the worker: the library's invocation model, surrounded by the app's hooks. */
import type {
  CoreInvocationContext,
  ProgrammingModel,
  RegisteredFunction,
  Registrations,
} from "./core-api.ts";
import type { HttpResponseData, Invocation, LogLevel } from "./messages.ts";

export interface InvokeOptions {
  readonly hooks: Registrations["hooks"];
  readonly model: ProgrammingModel;
  readonly registered: RegisteredFunction;
  readonly invocation: Invocation;
  /** Shared by all hooks of the app. */
  readonly appHookData: Record<string, unknown>;
  /** Receives what the function logs; `context` is the invocation's own. */
  readonly log: (level: LogLevel, category: string, message: string, context: unknown) => void;
}

/**
 * Calls the function and returns its HTTP response, if any. Throws what the function or a hook threw, unless a
 * postInvocation hook removed the error.
 */
export async function invoke(options: InvokeOptions): Promise<HttpResponseData | undefined> {
  const { hooks, model, registered, invocation, appHookData, log } = options;
  let invocationContext: object | undefined;
  const coreContext: CoreInvocationContext = {
    invocationId: invocation.invocationId,
    metadata: registered.metadata,
    request: {
      invocationId: invocation.invocationId,
      functionId: invocation.functionName,
      inputData: [{ name: registered.triggerName, data: invocation.input }],
      triggerMetadata: invocation.triggerMetadata ?? {},
      traceContext: { traceParent: invocation.traceParent, traceState: "", attributes: {} },
    },
    log: (level, category, message) => log(level, category, message, invocationContext),
  };
  const invocationModel = model.getInvocationModel(coreContext);
  const { context, inputs } = await invocationModel.getArguments();
  invocationContext = context;

  const hookData = {};
  const before = {
    hookData,
    appHookData,
    invocationContext: context,
    inputs,
    functionCallback: registered.callback,
  };
  coreContext.state = "preInvocationHooks";
  for (const hook of hooks.preInvocation) {
    await hook(before);
  }

  const after: Record<string, unknown> = {
    hookData,
    appHookData,
    invocationContext: context,
    inputs: before.inputs,
    result: undefined,
    error: undefined,
  };
  coreContext.state = "invocation";
  try {
    after["result"] = await invocationModel.invokeFunction(context, before.inputs, before.functionCallback);
  } catch (error) {
    after["error"] = error ?? new Error("The function threw nothing.");
  }
  coreContext.state = "postInvocationHooks";
  for (const hook of hooks.postInvocation) {
    await hook(after);
  }
  if (after["error"] !== undefined && after["error"] !== null) throw after["error"];
  const response = await invocationModel.getResponse(context, after["result"]);
  return response.returnValue?.http;
}
