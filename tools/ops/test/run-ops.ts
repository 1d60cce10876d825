/** Runs the operator's commands in this process. */
import { commands } from "../commands/commands.ts";
import { connect } from "../gateway/connect.ts";
import { runProgram } from "../operator-program.ts";
import { exitCodes } from "../outcomes.ts";

export interface OpsOptions {
  readonly stopping?: AbortSignal;
  /** Sees each text as it is written. */
  readonly onText?: (text: string) => void;
  readonly environment?: Readonly<Record<string, string>>;
  /** Returns the gateway that the command works on. The default connects as `npm run ops` does. */
  readonly connect?: typeof connect;
}

/** Runs a command as `npm run ops` does. `output` is standard output, `remarks` standard error. */
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
