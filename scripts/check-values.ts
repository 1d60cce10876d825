/**
 * Refuses wrong values of an environment before Azure is asked: infra/deploy.sh calls it with the path of their file.
 */
import { findFaults } from "./check-values/faults.ts";

const [file = ""] = process.argv.slice(2);
const faults = findFaults(file, process.env);
for (const fault of faults) console.error(`${file}: ${fault}`);
process.exitCode = faults.length > 0 ? 1 : 0;
