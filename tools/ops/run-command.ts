/** Finds the command, runs it, and reports in one line what went wrong. */
import { GatewayError } from "../../src/lib/errors.ts";
import type { Command } from "./command.ts";
import type { ExitCode } from "./exit-codes.ts";
import { UnreachableError, UsageError } from "./failures.ts";
import { commandHelp, generalHelp } from "./help.ts";
import type { connect } from "./target/connect.ts";
import type { Environment } from "./target/deployment-names.ts";
import type { Terminal } from "./terminal/terminal.ts";

const helpWords = ["help", "--help", "-h"];

/** What a command is run with. */
export interface Surroundings {
  readonly terminal: Terminal;
  /** Aborts on Ctrl-C. */
  readonly stopping: AbortSignal;
  readonly environment: Environment;
  readonly connect: typeof connect;
}

/** Runs the command that the arguments name. Never throws. */
export async function runCommand(
  commands: readonly Command[],
  given: readonly string[],
  { terminal, stopping, environment, connect: connectTo }: Surroundings,
): Promise<ExitCode> {
  const [name, ...rest] = given;
  if (name === undefined || helpWords.includes(name)) {
    terminal.print(generalHelp(commands));
    return name === undefined ? "usage" : "ok";
  }
  const command = commands.find((candidate) => candidate.name === name);
  if (!command) {
    terminal.remark(`${name}: there is no such command. npm run ops -- help lists the commands.`);
    return "usage";
  }
  if (rest.includes("--help") || rest.includes("-h")) {
    terminal.print(commandHelp(command));
    return "ok";
  }
  try {
    return await command.start(rest, (common) => ({
      terminal,
      stopping,
      connect: async () => connectTo(common, environment),
    }));
  } catch (error) {
    if (stopping.aborted) return "interrupted";
    return report(command, error, terminal);
  }
}

function report({ name }: Command, error: unknown, terminal: Terminal): ExitCode {
  if (error instanceof UsageError) {
    terminal.remark(`${error.message}. npm run ops -- ${name} --help shows the options.`);
    return "usage";
  }
  if (error instanceof UnreachableError) {
    terminal.remark(error.message);
    return "unreachable";
  }
  if (error instanceof GatewayError) {
    terminal.remark(`${describe(error)}: ${error.message}`);
    return "unreachable";
  }
  const [firstLine] = (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).split(
    "\n",
  );
  terminal.remark(`ops ${name} failed: ${firstLine}`);
  return "finding";
}

function describe({ code }: GatewayError): string {
  if (code === "storage-unavailable") return "The storage account does not do what is asked";
  return code.startsWith("platform-") ? "The platform does not do what is asked" : code;
}
