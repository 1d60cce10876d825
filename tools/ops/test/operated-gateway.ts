/** A running gateway and the operator's commands against it, through a storage connection that a test can cut. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach } from "vitest";
import { startProxy } from "../../../test/support/proxy.ts";
import {
  type RunningGateway,
  type RunningGatewayOptions,
  startRunningGateway,
} from "../../../test/support/running-gateway.ts";
import { useStarted } from "../../../test/support/use-started.ts";
import { connectionOf, writeConnection } from "../../simulators/connection.ts";
import { commands } from "../commands/commands.ts";
import { runProgram } from "../operator-program.ts";
import { exitCodes } from "../outcomes.ts";
import { connect } from "../target/connect.ts";

export type OperatedGateway = Awaited<ReturnType<typeof startOperatedGateway>>;

/** Rooms are ready at once, and ended ones are collected at once. */
const withoutDelays = { POOL_READY_DELAY_SECONDS: "0", GC_MINIMUM_AGE_SECONDS: "0" };

/** One gateway for all tests of the file; each finds it empty and without faults. `settings` override the stack's. */
export function useOperatedGateway(settings: Record<string, string>): OperatedGateway {
  const operated = useStarted(async () => startOperatedGateway({ ...withoutDelays, ...settings }));
  beforeEach(async () => operated.reset());
  return operated;
}

async function startOperatedGateway(overrides: Record<string, string>) {
  const settings: RunningGatewayOptions["settings"] = (defaults) => ({ ...defaults, ...overrides });
  const gateway: RunningGateway = await startRunningGateway({ settings });
  const storage = await startProxy(gateway.stack.azurite.queueServiceUrl);
  const folder = await mkdtemp(join(tmpdir(), "vmr-gateway-ops-"));
  const connectionFile = join(folder, "stack.json");

  /** Writes the file through which the commands find the gateway; `changed` are settings that only the commands see. */
  async function writeSettings(changed: Record<string, string> = {}): Promise<void> {
    const { connectionString, queueServiceUrl } = gateway.stack.azurite;
    const known = { ...gateway.settings, ...changed };
    known["AzureWebJobsStorage"] = connectionString.replace(queueServiceUrl, storage.url);
    await writeConnection(connectionOf(gateway.stack, gateway.url, known), connectionFile);
  }
  await writeSettings();

  async function reset(): Promise<void> {
    const { platform, issuer, logWorkspace } = gateway.stack;
    storage.setDown(false);
    issuer.setDown(false);
    await platform.goUp();
    platform.clearFaults();
    platform.setLatency({ milliseconds: 0 });
    await gateway.empty();
    logWorkspace.clear();
    await writeSettings();
  }

  return {
    ...gateway,
    reset,
    storage,
    connectionFile,
    writeSettings,
    ops: async (...args: string[]) => ops([...args, "--local", "--connection-file", connectionFile]),
    /** The same; the last argument sees each text, or stops the command. */
    opsWith: async (options: OpsOptions, ...args: string[]) =>
      ops([...args, "--local", "--connection-file", connectionFile], options),
    stop: async () => {
      await storage.stop();
      await gateway.stop();
      await rm(folder, { recursive: true });
    },
  };
}

export interface OpsOptions {
  readonly stopping?: AbortSignal;
  /** Sees each text as it is written. */
  readonly onText?: (text: string) => void;
  readonly environment?: Readonly<Record<string, string>>;
  /** Returns the gateway that the command works on. The default connects as `npm run ops` does. */
  readonly connect?: typeof connect;
}

/** Runs a command in this process, as `npm run ops` does. `output` is standard output, `remarks` standard error. */
export async function ops(args: readonly string[], options: OpsOptions = {}) {
  const { stopping = new AbortController().signal, onText = () => undefined, environment = {} } = options;
  const surroundings = { stopping, environment, connect: options.connect ?? connect };
  let output = "";
  let remarks = "";
  const remark = (text: string): void => {
    remarks += text;
    onText(text);
  };
  const print = (line: string): void => {
    output += `${line}\n`;
    onText(`${line}\n`);
  };
  const terminal = {
    print,
    remark: (line: string) => remark(`${line}\n`),
    progress: { write: remark },
    isScreen: false,
  };
  const outcome = await runProgram(commands, args, { terminal, ...surroundings });
  return { exitCode: exitCodes[outcome].code, output, remarks };
}
