/** A worker thread that runs one load. */
import { parentPort, workerData } from "node:worker_threads";
import { type Load, runLoad } from "./run-load.ts";

parentPort?.postMessage(await runLoad(workerData as Load));
