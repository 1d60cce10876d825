/** The demonstration: the whole life of a room, step by step. */
import * as z from "zod";
import { tokenForm } from "../gateway/access-token.ts";
import type { Connection } from "../gateway/connection.ts";
import { createDemoContext } from "./demo-context.ts";
import { collectGarbage, deleteRoom, holdConference } from "./ending-steps.ts";
import { exchange } from "./exchange.ts";
import { deleteAll, fillPool, refillPool, seeReplacements, writeMetrics } from "./pool-steps.ts";
import type { Report } from "./report.ts";
import { changeRoom, createRooms, listRooms, readAsAgent, readRoom } from "./room-steps.ts";

export interface DemoOptions {
  readonly stopping: AbortSignal;
  /** Refills the pool at the end, for a gateway that stays in use. */
  readonly refills: boolean;
}

/** Runs all steps and records every check in the report. Throws if a step cannot continue. */
export async function runDemo(connection: Connection, report: Report, options: DemoOptions): Promise<void> {
  const token = await logIn(connection, report);
  const demo = createDemoContext(connection, report, token, options.stopping);
  const ready = await fillPool(demo);
  const [first, second, third] = await createRooms(demo);
  await readRoom(demo, first);
  await readAsAgent(demo, first);
  await changeRoom(demo, first);
  await listRooms(demo, [first, second, third]);
  await seeReplacements(demo, ready);
  const endedAt = await holdConference(demo, first);
  await deleteRoom(demo, second);
  await collectGarbage(demo, first, endedAt);
  await writeMetrics(demo);
  await deleteAll(demo);
  if (options.refills) await refillPool(demo);
}

const healthSchema = z.strictObject({ status: z.literal("alive"), timestamp: z.iso.datetime() });
const grantSchema = z.object({
  token_type: z.literal("Bearer"),
  expires_in: z.literal(3599),
  ext_expires_in: z.literal(3599),
  access_token: z.string(),
});

/** Checks that the gateway is up and gets a token from the issuer. */
async function logIn(connection: Connection, report: Report): Promise<string> {
  report.step("Check that the gateway is up, and get a token");
  const health = await exchange(report, { method: "GET", url: `${connection.gatewayUrl}/public/health` });
  const isAlive = health.status === 200 && healthSchema.safeParse(health.json).success;
  report.check("the gateway is up and reports the time", isAlive, health.json);
  const body = new URLSearchParams(tokenForm);
  const grant = await exchange(report, { method: "POST", url: connection.tokenUrl, body });
  report.check(
    "a bearer token, valid for 3599 seconds",
    grantSchema.safeParse(grant.json).success,
    grant.status,
  );
  return grantSchema.parse(grant.json).access_token;
}
