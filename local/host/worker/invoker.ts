/** Sends calls to the app and writes the host's own log lines about them. */
import { randomBytes, randomUUID } from "node:crypto";
import type { AppProcess } from "./app-process.ts";
import type { HttpResponseData, OnLog, TypedData } from "./messages.ts";

interface Call {
  readonly input: TypedData;
  readonly triggerMetadata?: Record<string, TypedData>;
  /** The caller's W3C trace context, which the call continues. */
  readonly traceParent?: string;
}

type CallKind = "http" | "background";

export interface Invoker {
  /** Throws if the function failed, which has been logged by then. */
  invoke(functionName: string, call: Call): Promise<HttpResponseData | undefined>;
  /** Resolves when no call of this kind is running. `background` means timers and queues. */
  idle(kind: CallKind): Promise<void>;
}

/** Creates an invoker for the app's process. */
export function createInvoker(app: AppProcess, onLog: OnLog): Invoker {
  const running = { http: new Set<Promise<unknown>>(), background: new Set<Promise<unknown>>() };

  async function invoke(functionName: string, call: Call): Promise<HttpResponseData | undefined> {
    const invocationId = randomUUID();
    const category = `Function.${functionName}`;
    const started = performance.now();
    onLog({
      level: "information",
      category,
      message: `Executing 'Functions.${functionName}' (Id=${invocationId})`,
      functionName,
      invocationId,
    });
    const outcome = (result: string): string => {
      const milliseconds = Math.round(performance.now() - started);
      return `Executed 'Functions.${functionName}' (${result}, Id=${invocationId}, Duration=${milliseconds}ms)`;
    };
    try {
      const response = await app.invoke({
        invocationId,
        functionName,
        input: call.input,
        traceParent: continueTrace(call.traceParent),
        ...(call.triggerMetadata ? { triggerMetadata: call.triggerMetadata } : {}),
      });
      onLog({ level: "information", category, message: outcome("Succeeded"), functionName, invocationId });
      return response;
    } catch (error) {
      const stack = error instanceof Error ? error.stack : String(error);
      const message = `${outcome("Failed")}\n${stack}`;
      onLog({ level: "error", category, message, functionName, invocationId });
      throw error;
    }
  }

  return {
    async invoke(functionName, call) {
      const work = invoke(functionName, call);
      const calls = running[call.input.http ? "http" : "background"];
      calls.add(work);
      try {
        return await work;
      } finally {
        calls.delete(work);
      }
    },
    async idle(kind) {
      while (running[kind].size > 0) await Promise.allSettled(running[kind]);
    },
  };
}

function continueTrace(traceParent: string | undefined): string {
  const [, traceId, flags] = /^00-([0-9a-f]{32})-[0-9a-f]{16}-([0-9a-f]{2})$/.exec(traceParent ?? "") ?? [];
  const spanId = randomBytes(8).toString("hex");
  return `00-${traceId ?? randomBytes(16).toString("hex")}-${spanId}-${flags ?? "00"}`;
}
