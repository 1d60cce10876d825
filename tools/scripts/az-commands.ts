/** Asks the parser of az about every az command of the project and records what it accepts. */
import { writeFileSync } from "node:fs";
import {
  azCommands,
  faultsOfAz,
  lineOf,
  pythonOfAz,
  recordPath,
} from "../../test/support/infra/az-commands.ts";

const python = pythonOfAz();
if (python === undefined) throw new Error("az is not installed: apt-get install azure-cli");
const commands = azCommands();
const faults = faultsOfAz(python, commands);
const refused = commands.flatMap((given, index) =>
  faults[index] ? [`${lineOf(given)}: ${faults[index]}`] : [],
);
if (refused.length > 0) throw new Error(`az refuses\n${refused.join("\n")}`);
writeFileSync(recordPath, `${JSON.stringify(commands.map(lineOf).toSorted(), null, 2)}\n`);
