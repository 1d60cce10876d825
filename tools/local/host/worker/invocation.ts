/** Runs one call of a function in the worker, through the library's invocation model. */
import type { CoreInvocationContext, ProgrammingModel, RegisteredFunction } from "./core-api.ts";
import type { HttpResponseData, Invocation } from "./messages.ts";

export interface InvokeOptions {
  readonly model: ProgrammingModel;
  readonly registered: RegisteredFunction;
  readonly invocation: Invocation;
  /** Receives what the function logs. */
  readonly log: CoreInvocationContext["log"];
}

/** Calls the function and returns its HTTP response, if any. Throws what the function threw. */
export async function invoke(options: InvokeOptions): Promise<HttpResponseData | undefined> {
  const { model, registered, invocation, log } = options;
  const invocationModel = model.getInvocationModel({
    invocationId: invocation.invocationId,
    metadata: registered.metadata,
    request: {
      invocationId: invocation.invocationId,
      functionId: invocation.functionName,
      inputData: [{ name: registered.triggerName, data: invocation.input }],
      triggerMetadata: invocation.triggerMetadata ?? {},
      traceContext: { traceParent: invocation.traceParent, traceState: "", attributes: {} },
    },
    log,
  });
  const { context, inputs } = await invocationModel.getArguments();
  const result = await invocationModel.invokeFunction(context, inputs, registered.callback);
  const response = await invocationModel.getResponse(context, result);
  return response.returnValue?.http;
}
