/** The platform's status API: running conferences and active alarms. */
import * as z from "zod";
import type { PlatformCall, PlatformClient } from "./client.ts";
import { type CallLimits, listRows, undocumentedResponse } from "./conferences.ts";

export interface PlatformAlarm {
  readonly name: string;
  readonly level: string;
}

/** Reads the platform's status. Every method throws PlatformError if the status cannot be read. */
export type PlatformStatus = ReturnType<typeof createPlatformStatus>;

const livePath = "/api/admin/status/v1/conference/";
const alarmPath = "/api/admin/status/v1/alarm/";

const Live = z.looseObject({ name: z.string() });
const Alarm = z.looseObject({ name: z.string().catch("unnamed"), level: z.string().catch("unknown") });

/** Creates the status API on top of a client. Does nothing until a method is called. */
export function createPlatformStatus(client: Pick<PlatformClient, "call">) {
  return {
    /** Returns whether a conference of this name is running on any node. The limits hold for each page. */
    async isLive(name: string, limits?: CallLimits): Promise<boolean> {
      const rows = await list(client, livePath, Live, { query: { name }, ...limits });
      // The name is compared again because the platform ignores a parameter that it does not know.
      return rows.some((row) => row.name === name);
    },
    /** Returns the names of all running conferences. */
    liveConferences: async (limits?: CallLimits): Promise<ReadonlySet<string>> =>
      new Set((await list(client, livePath, Live, limits)).map(({ name }) => name)),
    /** Returns all active alarms. */
    alarms: async (limits?: CallLimits): Promise<readonly PlatformAlarm[]> =>
      (await list(client, alarmPath, Alarm, limits)).map(({ name, level }) => ({ name, level })),
  };
}

async function list<Row>(
  client: Pick<PlatformClient, "call">,
  path: string,
  row: z.ZodType<Row>,
  options?: CallLimits & Pick<PlatformCall, "query">,
): Promise<Row[]> {
  const rows = z.array(row).safeParse(await listRows(client, path, options));
  if (!rows.success) throw undocumentedResponse(path);
  return rows.data;
}
