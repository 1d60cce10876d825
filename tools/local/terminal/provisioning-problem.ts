/** Explains from the app's log why no rooms are provisioned. */
import * as z from "zod";
import type { LogEntry } from "../host/messages.ts";
import { parseJson } from "../process/parse-json.ts";

const failureSchema = z.object({
  event: z.literal("provisioning-failed"),
  failure: z.string(),
  status: z.number().optional(),
});

const words: Readonly<Record<string, string>> = {
  "platform-login-refused": "the platform refuses the credentials",
  "platform-unavailable": "the platform cannot be reached",
  "platform-timeout": "the platform does not respond in time",
  "platform-rejected": "the platform rejects the room",
};

/** Creates a reader of the log. After so many failures in a row, `problem` returns their cause in words. */
export function createProvisioningProblem(failuresInARow = 3) {
  let failures = 0;
  let problem: string | undefined;
  return {
    onLog: ({ message }: LogEntry): void => {
      if (message.includes('"event":"room-provisioned"')) [failures, problem] = [0, undefined];
      const { data } = failureSchema.safeParse(parseJson(message));
      if (!data) return;
      failures += 1;
      const status = data.status === undefined ? "" : ` (${data.status})`;
      if (failures >= failuresInARow) problem = `${words[data.failure] ?? data.failure}${status}`;
    },
    problem: (): string | undefined => problem,
  };
}
