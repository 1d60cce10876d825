/** Sends calls to the app and writes the host's own log lines about them. */
import { randomBytes, randomUUID } from "node:crypto";
import type { AppProcess } from "./app-process.ts";
import type { HttpResponseData, LogLevel, OnLog, TypedData } from "./messages.ts";

interface Call {
  readonly input: TypedData;
  readonly triggerMetadata?: Record<string, TypedData>;
  /** The caller's W3C trace context, which the call continues. */
  readonly traceParent?: string;
}

type CallKind = "http" | "background";

export type Invoker = ReturnType<typeof createInvoker>;

/** Creates an invoker for the app's process. */
export function createInvoker(app: AppProcess, onLog: OnLog) {
  const running = { http: new Set<Promise<unknown>>(), background: new Set<Promise<unknown>>() };

  async function invoke(functionName: string, call: Call): Promise<HttpResponseData | undefined> {
    const invocationId = randomUUID();
    const started = performance.now();
    const log = (level: LogLevel, message: string): void =>
      onLog({ level, category: `Function.${functionName}`, message, functionName, invocationId });
    log("information", `Executing 'Functions.${functionName}' (Id=${invocationId})`);
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
      log("information", outcome("Succeeded"));
      return response;
    } catch (error) {
      const stack = error instanceof Error ? error.stack : String(error);
      log("error", `${outcome("Failed")}\n${stack}`);
      throw error;
    }
  }

  return {
    /** Throws if the function failed, which has been logged by then. */
    async invoke(functionName: string, call: Call): Promise<HttpResponseData | undefined> {
      const work = invoke(functionName, call);
      const calls = running[call.input.http ? "http" : "background"];
      calls.add(work);
      try {
        return await work;
      } finally {
        calls.delete(work);
      }
    },
    /** Resolves when no call of this kind is running. `background` means timers and queues. */
    async idle(kind: CallKind): Promise<void> {
      while (running[kind].size > 0) await Promise.allSettled(running[kind]);
    },
  };
}

function continueTrace(traceParent: string | undefined): string {
  const [, traceId, flags] = /^00-([0-9a-f]{32})-[0-9a-f]{16}-([0-9a-f]{2})$/.exec(traceParent ?? "") ?? [];
  const spanId = randomBytes(8).toString("hex");
  return `00-${traceId ?? randomBytes(16).toString("hex")}-${spanId}-${flags ?? "00"}`;
}
