/** Runs the app in a child process, sends calls to it, and restarts it after its first and second crash. */
import { type ChildProcess, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { relative } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type {
  AppState,
  Call,
  FromWorker,
  FunctionMetadata,
  HttpResponseData,
  Invocation,
  LogLevel,
  OnLog,
  ToWorker,
  Trigger,
} from "./messages.ts";

export type AppProcess = Awaited<ReturnType<typeof startAppProcess>>;

export interface AppProcessOptions {
  readonly entry: string;
  readonly environment: Record<string, string>;
  /** Options of Node. */
  readonly execArgv: readonly string[];
  readonly onLog: OnLog;
  /** Is called with each change of the state. */
  readonly onState?: ((state: AppState) => void) | undefined;
}

/** A call whose function failed or whose process ended. `stack` is the worker's description, `message` its first line. */
class WorkerError extends Error {
  constructor(description: string) {
    super(description.split("\n", 1)[0]);
    this.stack = description;
  }
}

/** The host was stopped before the call finished. */
export class CutOffError extends WorkerError {}

type PendingCall = PromiseWithResolvers<HttpResponseData | undefined>;

const crashesUntilGivingUp = 3;
const terminateGraceMilliseconds = 5000;
const maxReasonCharacters = 300;
const workerPath = fileURLToPath(new URL("./worker.ts", import.meta.url));

/**
 * Starts the app and resolves once it is loaded. If it fails to load, it has no functions and its error is logged. Throws
 * if the process ends three times before it is loaded.
 */
export async function startAppProcess(options: AppProcessOptions) {
  const { entry, environment, execArgv, onLog } = options;
  const pending = new Map<string, PendingCall>();
  const running = { http: new Set<Promise<unknown>>(), background: new Set<Promise<unknown>>() };
  const giveUp = Promise.withResolvers<string>();
  let loading = Promise.withResolvers<void>();
  let state: AppState = { state: "restarting" };
  let crashes = 0;
  let stopping = false;
  let functions: readonly FunctionMetadata[] = [];
  let child = startChild();

  function log(level: LogLevel, message: string): void {
    onLog({ level, category: "Host.Worker", message });
  }

  function enter(next: AppState): void {
    state = next;
    options.onState?.(next);
  }

  function startChild(): ChildProcess {
    const started = fork(workerPath, [entry], {
      env: environment,
      execArgv: [...execArgv],
      serialization: "advanced",
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    forwardLines(started, onLog);
    started.on("message", (message: FromWorker) => receive(message));
    started.on("error", (error) => log("error", String(error)));
    // "close" comes after the last message and the last line; "exit" can overtake both.
    started.once("close", (code, signal) =>
      handleEnd(signal === null ? `with exit code ${code}` : `by the signal ${signal}`),
    );
    return started;
  }

  function receive(message: FromWorker): void {
    switch (message.kind) {
      case "log":
        return onLog(message.entry);
      case "ended": {
        const { invocationId, response, error } = message;
        const call = pending.get(invocationId);
        pending.delete(invocationId);
        return error === undefined ? call?.resolve(response) : call?.reject(new WorkerError(error));
      }
      case "loaded":
        ({ functions } = message);
        if (message.error === undefined) enter({ state: "up" });
        else {
          log("error", `The app could not be loaded: ${message.error}`);
          enter({ state: "not loaded", reason: reasonIn(message.error) });
        }
        return loading.resolve();
    }
  }

  function handleEnd(how: string): void {
    const reason = `The app's process was ended ${how}`;
    const Reason = stopping ? CutOffError : WorkerError;
    for (const call of pending.values()) call.reject(new Reason(`${reason}.`));
    pending.clear();
    if (stopping) return;
    crashes += 1;
    log("error", `${reason} (${crashes} of ${crashesUntilGivingUp}).`);
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
    loading.reject(new WorkerError(lastWords));
    giveUp.resolve(lastWords);
  }

  async function send(call: Invocation): Promise<HttpResponseData | undefined> {
    await loading.promise;
    if (!child.connected) throw new WorkerError("The app's process is not running.");
    const answered: PendingCall = Promise.withResolvers();
    pending.set(call.invocationId, answered);
    child.send(call satisfies ToWorker);
    return answered.promise;
  }

  /** Writes the real host's own log lines about a call. */
  async function sendLogged(functionName: string, call: Call): Promise<HttpResponseData | undefined> {
    const invocationId = randomUUID();
    const started = performance.now();
    const logCall = (level: LogLevel, verb: string, details: string): void => {
      const message = `${verb} 'Functions.${functionName}' ${details}`;
      const category = `Function.${functionName}`;
      onLog({ level, category, message, functionName, invocationId, trigger: triggerOf(call) });
    };
    const details = (result: string): string =>
      `(${result}, Id=${invocationId}, Duration=${Math.round(performance.now() - started)}ms)`;
    logCall("information", "Executing", `(Id=${invocationId})`);
    try {
      const response = await send({ ...call, invocationId, functionName });
      logCall("information", "Executed", details("Succeeded"));
      return response;
    } catch (error) {
      const stack = error instanceof Error ? error.stack : String(error);
      logCall("error", "Executed", `${details("Failed")}\n${stack}`);
      throw error;
    }
  }

  await loading.promise;
  return {
    functions,
    state: (): AppState => state,
    /** Resolves with the reason after the third crash. */
    gaveUp: giveUp.promise,
    processId: () => (child.exitCode === null && child.signalCode === null ? child.pid : undefined),
    /** Returns the HTTP response, if any. Throws if the function failed, which has been logged, or its process ended. */
    async invoke(functionName: string, call: Call): Promise<HttpResponseData | undefined> {
      const work = sendLogged(functionName, call);
      const calls = running[call.input.http ? "http" : "background"];
      calls.add(work);
      try {
        return await work;
      } finally {
        calls.delete(work);
      }
    },
    /** Resolves when no call of this kind is running. `background` means timers and queues. */
    async idle(kind: keyof typeof running): Promise<void> {
      while (running[kind].size > 0) await Promise.allSettled(running[kind]);
    },
    async stop(): Promise<void> {
      stopping = true;
      if (!child.connected) return;
      const closed = once(child, "close");
      child.send("terminate" satisfies ToWorker);
      const kill = setTimeout(() => child.kill("SIGKILL"), terminateGraceMilliseconds);
      await closed;
      clearTimeout(kill);
    },
  };
}

/** Leaves out the query, which can be a service tag. */
function triggerOf({ input: { http, string } }: Call): Trigger {
  if (!http) return { kind: string === undefined ? "timer" : "queue" };
  return { kind: "request", title: `${http.method} ${new URL(http.url).pathname}` };
}

/** Returns an error's message in one line, without its stack, and with the file and line of a syntax error. */
function reasonIn(description: string): string {
  const lines = description.split("\n");
  const first = Math.max(
    0,
    lines.findIndex((line) => /^\w*Error\b.*: ?/.test(line)),
  );
  const stack = lines.findIndex((line) => /^\s+at /.test(line));
  const message = lines.slice(first, stack > first ? stack : undefined).join(" ");
  // Node writes it above the message: file:///home/you/vmr-gateway/src/main.ts:15
  const [, place] = (first > 0 && /^(?:file:\/\/)?(\/.*:\d+)$/.exec(lines[0] ?? "")) || [];
  const shown = place === undefined ? message : `${message} (${relative(process.cwd(), place)})`;
  return shown.replaceAll(/\s+/g, " ").trim().slice(0, maxReasonCharacters);
}

function forwardLines(child: ChildProcess, onLog: OnLog): void {
  const category = "Host.Function.Console";
  if (child.stdout) {
    createInterface(child.stdout).on("line", (message) => onLog({ level: "information", category, message }));
  }
  if (child.stderr) {
    createInterface(child.stderr).on("line", (message) => {
      // Node also writes the debugger's messages to standard error.
      const level = /^(?:Debugger |For help, see: )/.test(message) ? "information" : "error";
      onLog({ level, category, message });
    });
  }
}
