/** Entry point of the child process: loads the app named on the command line and serves the host's calls. */
import { pathToFileURL } from "node:url";
import { installCoreApi, type RegisteredFunction } from "./core-api.ts";
import { invoke } from "./invocation.ts";
import type { FromWorker, Invocation, LogLevel, ToWorker } from "./messages.ts";

// If the host is killed, the channel closes; the app must not outlive its host.
process.on("disconnect", () => process.exit(1));

const registrations = installCoreApi((level, category, message) => logEntry(level, category, message));

process.on("message", (message: ToWorker) => {
  if (message.kind === "invoke") {
    void serve(message.invocation);
  } else {
    process.exit(0);
  }
});
await load(process.argv[2] ?? "");

async function load(entry: string): Promise<void> {
  try {
    await import(pathToFileURL(entry).href);
    await registrations.model?.getCapabilities({});
    registrations.closed = true;
    const functions = [...registrations.functions.values()].map((registered) => registered.metadata);
    send({ kind: "loaded", functions });
  } catch (error) {
    // Like the real host, run on without functions if a module fails to load.
    registrations.closed = true;
    send({ kind: "loaded", functions: [], error: describe(error) });
  }
}

async function serve(invocation: Invocation): Promise<void> {
  const { invocationId, functionName } = invocation;
  const registered = registrations.functions.get(functionName);
  try {
    if (!registrations.model || !registered) {
      throw new Error(`The worker has no function named "${functionName}".`);
    }
    const response = await invoke({
      model: registrations.model,
      registered,
      invocation,
      log: (level, category, message) => logEntry(level, category, message, { registered, invocationId }),
    });
    send({ kind: "succeeded", invocationId, ...(response ? { response } : {}) });
  } catch (error) {
    send({ kind: "failed", invocationId, error: describe(error) });
  }
}

function logEntry(
  level: LogLevel,
  category: string,
  message: string,
  call?: { registered: RegisteredFunction; invocationId: string },
): void {
  const name = call?.registered.metadata.name;
  const source = name ? `Function.${name}` : "Worker.rpcWorkerProcess";
  send({
    kind: "log",
    entry: {
      level,
      category: category === "user" ? `${source}.User` : source,
      message,
      ...(call && name ? { functionName: name, invocationId: call.invocationId } : {}),
    },
  });
}

function send(message: FromWorker): void {
  process.send?.(message);
}

// Message and stack only: the properties of an HTTP client's error can hold credentials.
function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
