/** `npm run ops -- COMMAND`: the operator's commands. */
import { stopSignal } from "../terminal/stop-signal.ts";
import { commands } from "./commands/commands.ts";
import { connect } from "./gateway/connect.ts";
import { runProgram } from "./operator-program.ts";
import { exitCodes } from "./outcomes.ts";
import { createTerminal } from "./terminal.ts";

const terminal = createTerminal();
const outcome = await runProgram(commands, process.argv.slice(2), {
  terminal,
  stopping: stopSignal({
    print: terminal.remark,
    first: "Stopping after this step",
    exitCode: exitCodes.interrupted.code,
  }),
  environment: process.env,
  connect,
});
process.exitCode = exitCodes[outcome].code;
