/** The demonstration: the whole life of a room, step by step. */
import * as z from "zod";
import { createClient } from "../../../client/src/client.ts";
import { type AccessToken, clientCredentials } from "../../../client/src/tokens.ts";
import type { Connection } from "../stack/connection.ts";
import { consumer } from "../stack/identities.ts";
import { createDemoContext } from "./demo-context.ts";
import { collectGarbage, deleteRoom, holdConference } from "./ending-steps.ts";
import { deleteAll, fillPool, refillPool, seeReplacements, writeMetrics } from "./pool-steps.ts";
import { createPrintingFetch } from "./printing-fetch.ts";
import type { Report } from "./report.ts";
import { changeRoom, createRooms, listRooms, readAsAgent, readRoom } from "./room-steps.ts";

const tokenTimeoutMilliseconds = 10_000;

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

/** Checks that the gateway is up and gets a token from the issuer. */
async function logIn({ gatewayUrl, tokenUrl }: Connection, report: Report): Promise<AccessToken> {
  report.step("Check that the gateway is up, and get a token");
  const printingFetch = createPrintingFetch(report);
  const getToken = clientCredentials({ ...consumer, tokenUrl, fetch: printingFetch });
  const client = createClient({ baseUrl: gatewayUrl, getToken, fetch: printingFetch });
  const health = await client.checkHealth();
  report.check("the gateway is up and reports the time", healthSchema.safeParse(health).success, health);
  const token = await getToken({ signal: AbortSignal.timeout(tokenTimeoutMilliseconds) });
  report.check(
    "the token is valid for 3599 seconds",
    token.expiresInSeconds === 3599,
    token.expiresInSeconds,
  );
  return token;
}
