/** `npm run ops -- COMMAND`: what an operator does, as commands. */
import { commands } from "./command-table.ts";
import { exitCodes } from "./exit-codes.ts";
import { runCommand } from "./run-command.ts";
import { connect } from "./target/connect.ts";
import { stopOnSignal } from "./terminal/stop-on-signal.ts";
import { createTerminal } from "./terminal/terminal.ts";

const terminal = createTerminal();
const exitCode = await runCommand(commands, process.argv.slice(2), {
  terminal,
  stopping: stopOnSignal(terminal),
  environment: process.env,
  connect,
});
process.exitCode = exitCodes[exitCode].code;
