/** Explains from the app's log why no rooms are provisioned. */
import * as z from "zod";
import type { LogEntry } from "../../simulators/host/messages.ts";
import { parseJson } from "../../simulators/process/parse-json.ts";
import { describeLoggedFailure } from "./failure-words.ts";

const failureSchema = z.object({
  event: z.literal("provisioning-failed"),
  failure: z.string(),
  platformMethod: z.string().optional(),
  platformStatus: z.number().optional(),
  platformError: z.string().optional(),
});

/** The lines that say whether rooms are provisioned. */
export const provisioningEvents = ["provisioning-failed", "room-provisioned"];

/** Returns the cause of a failure that was logged, in words; undefined for other lines. */
export function provisioningProblem(line: unknown): string | undefined {
  const { data } = failureSchema.safeParse(line);
  if (!data) return undefined;
  const { failure: code, ...call } = data;
  return describeLoggedFailure({ code, ...call });
}

/** Creates a reader of the log. After so many failures in a row, `problem` returns their cause in words. */
export function createProvisioningProblem(failuresInARow = 3) {
  let failures = 0;
  let problem: string | undefined;
  return {
    onLog: ({ message }: LogEntry): void => {
      if (message.includes('"event":"room-provisioned"')) [failures, problem] = [0, undefined];
      const found = provisioningProblem(parseJson(message));
      if (found === undefined) return;
      failures += 1;
      if (failures >= failuresInARow) problem = found;
    },
    problem: (): string | undefined => problem,
  };
}
