/** The demonstration: the whole life of a room, step by step. */
import * as z from "zod";
import { tokenForm } from "../gateway/access-token.ts";
import type { Connection } from "../gateway/connection.ts";
import { createStage } from "./demo-context.ts";
import { collectGarbage, deleteRoom, holdConference } from "./ending-steps.ts";
import { exchange } from "./exchange.ts";
import { deleteAll, fillPool, refillPool, seeReplacements, writeMetrics } from "./pool-steps.ts";
import type { Report } from "./report.ts";
import { changeRoom, createRooms, listRooms, readAsAgent, readRoom } from "./room-steps.ts";

export interface WalkOptions {
  readonly stopping: AbortSignal;
  /** Fills the pool again at the end, on a gateway that others go on using. */
  readonly refills: boolean;
}

/** Walks through all steps and records every check in the report. Throws when it cannot go on. */
export async function walk(connection: Connection, report: Report, options: WalkOptions): Promise<void> {
  const token = await logIn(connection, report);
  const stage = createStage(connection, report, token, options.stopping);
  const ready = await fillPool(stage);
  const [first, second, third] = await createRooms(stage);
  await readRoom(stage, first);
  await readAsAgent(stage, first);
  await changeRoom(stage, first);
  await listRooms(stage, [first, second, third]);
  await seeReplacements(stage, ready);
  const endedAt = await holdConference(stage, first);
  await deleteRoom(stage, second);
  await collectGarbage(stage, first, endedAt);
  await writeMetrics(stage);
  await deleteAll(stage);
  if (options.refills) await refillPool(stage);
}

const healthSchema = z.strictObject({ status: z.literal("alive"), timestamp: z.iso.datetime() });
const grantSchema = z.object({
  token_type: z.literal("Bearer"),
  expires_in: z.literal(3599),
  ext_expires_in: z.literal(3599),
  access_token: z.string(),
});

/** Sees that the gateway answers and gets a token from the issuer. */
async function logIn(connection: Connection, report: Report): Promise<string> {
  report.step("See that the gateway answers, and get a token");
  const health = await exchange(report, { method: "GET", url: `${connection.gatewayUrl}/public/health` });
  const isAlive = health.status === 200 && healthSchema.safeParse(health.json).success;
  report.check("it is alive and tells the time", isAlive, health.json);
  const body = new URLSearchParams(tokenForm);
  const grant = await exchange(report, { method: "POST", url: connection.tokenUrl, body });
  report.check("a bearer token for 3599 seconds", grantSchema.safeParse(grant.json).success, grant.status);
  return grantSchema.parse(grant.json).access_token;
}
