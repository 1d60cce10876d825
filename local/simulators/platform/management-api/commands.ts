/** The Management API's commands that end a call. */
import * as z from "zod";
import type { Reply } from "../../loopback-server.ts";
import { invalid, methodNotAllowed, notFound } from "../model/api-error.ts";
import type { PlatformState } from "../platform-state.ts";

const targetSchema = z.object({
  conference_id: z.string().default(""),
  participant_id: z.string().default(""),
});

/**
 * Runs `conference/disconnect` or `participant/disconnect`, given by status id. A call that has ended returns 400, not 404.
 */
export function runCommand(
  { live }: PlatformState,
  command: string,
  method: string,
  readBody: () => Record<string, unknown>,
): Reply {
  if (command !== "participant/disconnect" && command !== "conference/disconnect") throw notFound();
  if (method !== "POST") throw methodNotAllowed(["POST"]);
  const target = targetSchema.safeParse(readBody()).data;
  if (command === "conference/disconnect") {
    const conference = live.findById(target?.conference_id ?? "");
    if (!conference) throw invalid("conference", { conference_id: ["Failed to find conference."] });
    live.end(conference.name);
  } else if (!live.disconnectParticipant(target?.participant_id ?? "")) {
    throw invalid("participant", { participant_id: ["Failed to find participant."] });
  }
  return { status: 202, body: { status: "success", data: null } };
}
