/** Reads lines of the app's log: the fields that say what happened, to which room, and why it failed. */
import * as z from "zod";
import { parseJson } from "../../src/lib/json.ts";

const text = z.string().min(1).optional().catch(undefined);
const number = z.number().optional().catch(undefined);

const lineSchema = z.object({
  event: z.string().min(1),
  status: number,
  durationMilliseconds: number,
  ignored: number,
  count: number,
  /** Why a request failed. */
  code: text,
  /** Why a provisioning or a deletion failed. */
  failure: text,
  correlationId: text,
  room: text,
  reason: text,
  kind: text,
  outcome: text,
  platformMethod: text,
  platformStatus: number,
  platformError: text,
  /** The fields that the platform has rejected. */
  rejectedFields: text,
  causes: z.array(z.object({ name: text, message: text, stack: text })).catch([]),
});

export type Line = z.output<typeof lineSchema>;

/** Returns the fields of a line, which is given as JSON or as an object; undefined if it has no event. */
export function readLine(line: unknown): Line | undefined {
  return lineSchema.safeParse(typeof line === "string" ? parseJson(line) : line).data;
}
