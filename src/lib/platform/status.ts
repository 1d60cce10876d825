/** The platform's status API: running conferences and active alarms. */
import * as z from "zod";
import type { PlatformClient } from "./client.ts";
import { nextPath, undocumentedResponse } from "./pages.ts";

/** An active alarm of the platform. */
export interface PlatformAlarm {
  readonly name: string;
  readonly level: string;
}

/** Reads the platform's status. Every method throws PlatformError if the status cannot be read. */
export interface PlatformStatus {
  /** Returns whether a conference of this name is running on any node. */
  isLive(name: string): Promise<boolean>;
  /** Returns the names of all running conferences. */
  liveConferences(): Promise<ReadonlySet<string>>;
  /** Returns all active alarms. */
  alarms(): Promise<readonly PlatformAlarm[]>;
}

const livePath = "/api/admin/status/v1/conference/";
const alarmPath = "/api/admin/status/v1/alarm/";
const rowsPerPage = 500;
const maxPages = 100;

const Live = z.object({ objects: z.array(z.looseObject({ name: z.string() })) });
const Alarms = z.object({
  objects: z.array(z.looseObject({ name: z.string().catch("unnamed"), level: z.string().catch("unknown") })),
});

/** Creates the status API on top of a client. Does nothing until a method is called. */
export function createPlatformStatus(client: Pick<PlatformClient, "call">): PlatformStatus {
  return {
    async isLive(name) {
      const { body } = await client.call({ method: "GET", path: livePath, query: { name } });
      const checked = Live.safeParse(body);
      if (!checked.success) throw undocumentedResponse(livePath);
      return checked.data.objects.some((row) => row.name === name);
    },
    liveConferences: async () => new Set((await allRows(client, livePath, Live)).map((row) => row.name)),
    alarms: async () =>
      (await allRows(client, alarmPath, Alarms)).map(({ name, level }) => ({ name, level })),
  };
}

async function allRows<Row>(
  client: Pick<PlatformClient, "call">,
  path: string,
  schema: z.ZodType<{ objects: Row[] }>,
): Promise<Row[]> {
  const rows: Row[] = [];
  let page = await client.call({ method: "GET", path, query: { limit: rowsPerPage } });
  for (let pages = 1; ; pages++) {
    const checked = schema.safeParse(page.body);
    if (!checked.success || pages > maxPages) throw undocumentedResponse(path);
    rows.push(...checked.data.objects);
    const next = nextPath(page, path);
    if (next === undefined) return rows;
    page = await client.call({ method: "GET", path: next });
  }
}
