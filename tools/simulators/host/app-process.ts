/** Runs the app in a child process, sends calls to it, and restarts it after its first and second crash. */
import { type ChildProcess, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import type {
  AppState,
  CallInput,
  FromWorker,
  FunctionMetadata,
  HttpResponseData,
  Invocation,
  LogLevel,
  OnLog,
  Trigger,
} from "./messages.ts";

export type AppProcess = Awaited<ReturnType<typeof startAppProcess>>;

export interface AppProcessOptions {
  readonly entry: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Options of Node. */
  readonly execArgv: readonly string[];
  readonly onLog: OnLog;
  /** Is called with each change of the state. */
  readonly onState?: ((state: AppState) => void) | undefined;
}

const crashesUntilGivingUp = 3;
const maxReasonCharacters = 300;
const workerPath = fileURLToPath(new URL("./worker.ts", import.meta.url));

/**
 * Starts the app and resolves once it is loaded. If it fails to load, it has no functions and its error is logged.
 * Throws if the process ends three times before it is loaded.
 */
export async function startAppProcess(options: AppProcessOptions) {
  const { entry, environment, execArgv, onLog } = options;
  const pending = new Map<string, PromiseWithResolvers<HttpResponseData | undefined>>();
  const running = new Set<Promise<unknown>>();
  const gaveUp = Promise.withResolvers<string>();
  let loading = Promise.withResolvers<void>();
  let state: AppState = { state: "restarting" };
  let crashes = 0;
  let stopping = false;
  let functions: readonly FunctionMetadata[] = [];
  let child = startChild();

  function logError(message: string): void {
    onLog({ level: "error", category: "Host.Worker", message });
  }

  function enter(next: AppState): void {
    state = next;
    options.onState?.(next);
  }

  function startChild(): ChildProcess {
    const started = fork(workerPath, [entry], {
      env: environment,
      execArgv: [...execArgv],
      // Ctrl-C reaches every process of a terminal's group, but the host decides when the app ends.
      detached: true,
      serialization: "advanced",
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    forwardLines(started.stdout, "information", onLog);
    forwardLines(started.stderr, "error", onLog);
    started.on("message", (message: FromWorker) => receive(message));
    started.on("error", (error) => logError(String(error)));
    // "close" comes after the last message and the last line; "exit" can overtake both.
    started.once("close", (code, signal) =>
      handleEnd(signal === null ? `with exit code ${code}` : `by the signal ${signal}`),
    );
    return started;
  }

  function receive(message: FromWorker): void {
    if (message.kind === "log") return onLog(message.entry);
    if (message.kind === "ended") {
      const call = pending.get(message.invocationId);
      pending.delete(message.invocationId);
      return message.error === undefined
        ? call?.resolve(message.response)
        : call?.reject(new Error(message.error));
    }
    ({ functions } = message);
    if (message.error === undefined) enter({ state: "up" });
    else {
      logError(`The app could not be loaded: ${message.error}`);
      enter({ state: "not loaded", reason: reasonIn(message.error) });
    }
    loading.resolve();
  }

  function handleEnd(how: string): void {
    const reason = `The app's process was ended ${how}`;
    for (const call of pending.values()) call.reject(new Error(`${reason}.`));
    pending.clear();
    if (stopping) return;
    crashes += 1;
    logError(`${reason} (${crashes} of ${crashesUntilGivingUp}).`);
    const wasLoaded = state.state !== "restarting";
    const isOver = crashes >= crashesUntilGivingUp;
    enter({ state: isOver ? "ended" : "restarting", reason });
    if (wasLoaded) loading = Promise.withResolvers();
    if (!isOver) {
      child = startChild();
      return;
    }
    const lastWords = "Exceeded language worker restart retry count";
    // A rejection that no call awaits must not end the host.
    loading.promise.catch(() => undefined);
    loading.reject(new Error(lastWords));
    gaveUp.resolve(lastWords);
  }

  async function send(call: Invocation): Promise<HttpResponseData | undefined> {
    await loading.promise;
    if (!child.connected) throw new Error("The app's process is not running.");
    const response = Promise.withResolvers<HttpResponseData | undefined>();
    pending.set(call.invocationId, response);
    child.send(call);
    return response.promise;
  }

  await loading.promise;
  return {
    functions,
    state: (): AppState => state,
    /** Resolves with the reason after the third crash. */
    gaveUp: gaveUp.promise,
    processId: () => (child.exitCode === null && child.signalCode === null ? child.pid : undefined),
    /**
     * Returns the HTTP response, if any, and writes the real host's own log lines about the call. Throws if the
     * function failed, which has been logged, or its process ended.
     */
    async invoke(functionName: string, call: CallInput): Promise<HttpResponseData | undefined> {
      const invocationId = randomUUID();
      const started = performance.now();
      const log = (level: LogLevel, verb: string, details: string): void => {
        const message = `${verb} 'Functions.${functionName}' ${details}`;
        const category = `Function.${functionName}`;
        onLog({ level, category, message, functionName, invocationId, trigger: triggerOf(call) });
      };
      const details = (result: string): string =>
        `(${result}, Id=${invocationId}, Duration=${Math.round(performance.now() - started)}ms)`;
      log("information", "Executing", `(Id=${invocationId})`);
      const work = send({ ...call, invocationId, functionName });
      running.add(work);
      try {
        const response = await work;
        log("information", "Executed", details("Succeeded"));
        return response;
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        log("error", "Executed", `${details("Failed")}\n${reason}`);
        throw error;
      } finally {
        running.delete(work);
      }
    },
    /** Resolves when no call is running. */
    async idle(): Promise<void> {
      while (running.size > 0) await Promise.allSettled(running);
    },
    async stop(): Promise<void> {
      stopping = true;
      if (!child.connected) return;
      const closed = once(child, "close");
      child.kill();
      await closed;
    },
  };
}

/** Leaves out the query, which can be a service tag. */
function triggerOf({ input: { http, string } }: CallInput): Trigger {
  if (!http) return { kind: string === undefined ? "timer" : "queue" };
  return { kind: "request", title: `${http.method} ${new URL(http.url ?? "").pathname}` };
}

/** Returns an error's message in one line: from its name, above which Node may show the code, to its stack. */
function reasonIn(description: string): string {
  const [, message = description] = /^(\w*Error\b.*?)(?:\n\s+at |$(?![\s\S]))/ms.exec(description) ?? [];
  return message.replaceAll(/\s+/g, " ").slice(0, maxReasonCharacters);
}

/** Logs each line at this level. Node also writes the debugger's messages to standard error. */
function forwardLines(stream: Readable | null, usual: LogLevel, onLog: OnLog): void {
  if (!stream) return;
  createInterface(stream).on("line", (message) => {
    const level = /^(?:Debugger |For help, see: )/.test(message) ? "information" : usual;
    onLog({ level, category: "Host.Function.Console", message });
  });
}
