/** Runs the app in a child process and restarts it after its first and second crash. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type {
  FromWorker,
  FunctionMetadata,
  HttpResponseData,
  Invocation,
  LogLevel,
  OnLog,
  ToWorker,
} from "./messages.ts";
import { CutOffError, WorkerError } from "./worker-error.ts";

export type AppProcess = Awaited<ReturnType<typeof startAppProcess>>;

export interface AppProcessOptions {
  readonly entry: string;
  readonly environment: Record<string, string>;
  /** Options of Node. */
  readonly execArgv: readonly string[];
  readonly onLog: OnLog;
}

interface PendingCall {
  resolve(response: HttpResponseData | undefined): void;
  reject(error: Error): void;
}

const crashesUntilGivingUp = 3;
const terminateGraceMilliseconds = 5000;
const workerPath = fileURLToPath(new URL("./worker.ts", import.meta.url));

/**
 * Starts the app and resolves once it is loaded. If it fails to load, it has no functions and its error is logged. Throws
 * if the process ends three times before it is loaded.
 */
export async function startAppProcess(options: AppProcessOptions) {
  const { entry, environment, execArgv, onLog } = options;
  const pending = new Map<string, PendingCall>();
  const giveUp = Promise.withResolvers<string>();
  let loading = Promise.withResolvers<void>();
  let isLoaded = false;
  let crashes = 0;
  let stopping = false;
  let functions: readonly FunctionMetadata[] = [];
  let child = startChild();

  function log(level: LogLevel, message: string): void {
    onLog({ level, category: "Host.Worker", message });
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
    started.once("close", (code, signal) => handleEnd(`exit code ${code ?? signal}`));
    return started;
  }

  function receive(message: FromWorker): void {
    switch (message.kind) {
      case "log":
        return onLog(message.entry);
      case "succeeded":
        return takePending(message.invocationId)?.resolve(message.response);
      case "failed":
        return takePending(message.invocationId)?.reject(new WorkerError(message.error));
      case "loaded":
        if (message.error !== undefined) log("error", `The app could not be loaded: ${message.error}`);
        functions = message.functions;
        isLoaded = true;
        return loading.resolve();
    }
  }

  function takePending(invocationId: string): PendingCall | undefined {
    const call = pending.get(invocationId);
    pending.delete(invocationId);
    return call;
  }

  function handleEnd(reason: string): void {
    for (const invocationId of pending.keys()) {
      const Reason = stopping ? CutOffError : WorkerError;
      takePending(invocationId)?.reject(new Reason(`The app's process ended with ${reason}.`));
    }
    if (stopping) return;
    crashes += 1;
    log("error", `The app's process ended with ${reason} (${crashes} of ${crashesUntilGivingUp}).`);
    if (isLoaded) {
      isLoaded = false;
      loading = Promise.withResolvers();
    }
    if (crashes < crashesUntilGivingUp) {
      child = startChild();
      return;
    }
    const lastWords = "Exceeded language worker restart retry count";
    // A rejection that no call awaits must not end the host.
    loading.promise.catch(() => undefined);
    loading.reject(new WorkerError(lastWords));
    giveUp.resolve(lastWords);
  }

  await loading.promise;
  return {
    functions,
    /** Resolves with the reason after the third crash. */
    gaveUp: giveUp.promise,
    processId: () => (child.exitCode === null && child.signalCode === null ? child.pid : undefined),
    /** Returns the HTTP response, if any. Throws if the function failed or its process ended. */
    async invoke(invocation: Invocation): Promise<HttpResponseData | undefined> {
      await loading.promise;
      if (!child.connected) throw new WorkerError("The app's process is not running.");
      const call = Promise.withResolvers<HttpResponseData | undefined>();
      pending.set(invocation.invocationId, call);
      const message: ToWorker = { kind: "invoke", invocation };
      child.send(message);
      return call.promise;
    },
    async stop(): Promise<void> {
      stopping = true;
      if (!child.connected) return;
      const closed = once(child, "close");
      const message: ToWorker = { kind: "terminate" };
      child.send(message);
      const kill = setTimeout(() => child.kill("SIGKILL"), terminateGraceMilliseconds);
      await closed;
      clearTimeout(kill);
    },
  };
}

function forwardLines(child: ChildProcess, onLog: OnLog): void {
  const category = "Host.Function.Console";
  if (child.stdout) {
    createInterface(child.stdout).on("line", (message) => onLog({ level: "information", category, message }));
  }
  if (child.stderr) {
    createInterface(child.stderr).on("line", (message) => {
      // Node writes to standard error, too, what it says about its debugger.
      const level = /^(?:Debugger |For help, see: )/.test(message) ? "information" : "error";
      onLog({ level, category, message });
    });
  }
}
