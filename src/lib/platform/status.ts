/** The platform's status API: which conferences are live, and which alarms are raised. */
import * as z from "zod";
import type { PlatformClient } from "./client.ts";
import { nextPath, unusable } from "./conferences.ts";

export interface PlatformAlarm {
  readonly name: string;
  readonly level: string;
}

export interface PlatformStatus {
  /** Whether a conference of this name is running on any node. */
  isLive(name: string): Promise<boolean>;
  /** The names of all running conferences. */
  liveConferences(): Promise<ReadonlySet<string>>;
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

/** Every method throws PlatformError. */
export function createPlatformStatus(client: Pick<PlatformClient, "call">): PlatformStatus {
  async function allRows<Row>(path: string, schema: z.ZodType<{ objects: Row[] }>): Promise<Row[]> {
    const rows: Row[] = [];
    let page = await client.call({ method: "GET", path, query: { limit: rowsPerPage } });
    for (let pages = 1; ; pages++) {
      const checked = schema.safeParse(page.body);
      if (!checked.success || pages > maxPages) throw unusable(path);
      rows.push(...checked.data.objects);
      const next = nextPath(page, path);
      if (next === undefined) return rows;
      page = await client.call({ method: "GET", path: next });
    }
  }

  return {
    async isLive(name) {
      const { body } = await client.call({ method: "GET", path: livePath, query: { name } });
      const checked = Live.safeParse(body);
      if (!checked.success) throw unusable(livePath);
      return checked.data.objects.some((row) => row.name === name);
    },
    liveConferences: async () => new Set((await allRows(livePath, Live)).map((row) => row.name)),
    alarms: async () => (await allRows(alarmPath, Alarms)).map(({ name, level }) => ({ name, level })),
  };
}
