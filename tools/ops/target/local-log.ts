/** Reads the log of the local gateway, which the simulated log workspace keeps. */
import * as z from "zod";
import { UnreachableError } from "../outcomes.ts";
import { type LogReader, maxLines } from "./log-reader.ts";

const tracesSchema = z.array(z.object({ time: z.string(), fields: z.record(z.string(), z.unknown()) }));
const rowsSchema = z.array(z.object({ row: z.record(z.string(), z.unknown()) }));
const timeoutMilliseconds = 5000;

/** Creates a reader of the workspace at this URL. */
export function createLocalLog(url: string): LogReader {
  async function read<Value>(path: string, schema: z.ZodType<Value>): Promise<Value> {
    try {
      const response = await fetch(`${url}${path}`, { signal: AbortSignal.timeout(timeoutMilliseconds) });
      return schema.parse(await response.json());
    } catch (error) {
      throw new UnreachableError(
        `The log workspace at ${url} does not respond. Is the local gateway running?`,
        {
          cause: error,
        },
      );
    }
  }
  return {
    lines: async ({ hours, room, events, function: functionName }) => {
      const since = new Date(Date.now() - hours * 3600_000).toISOString();
      return (await read("/control/traces", tracesSchema))
        .filter(({ time }) => time >= since)
        .filter(({ fields }) => room === undefined || fields["room"] === room)
        .filter(({ fields }) => events === undefined || events.includes(String(fields["event"])))
        .filter(({ fields }) => functionName === undefined || fields["function"] === functionName)
        .slice(-maxLines);
    },
    counts: async ({ hours, events }, minutes) => {
      const milliseconds = minutes * 60_000;
      const since = Date.now() - hours * 3600_000;
      return (await read("/control/traces", tracesSchema))
        .map(({ time, fields }) => ({ at: Date.parse(time), event: String(fields["event"]) }))
        .filter(({ at, event }) => at >= since && events.includes(event))
        .map(({ at, event }) => ({
          time: new Date(Math.floor(at / milliseconds) * milliseconds).toISOString(),
          event,
          count: 1,
        }));
    },
    newestMetrics: async () => (await read("/control/rows", rowsSchema)).at(-1)?.row,
  };
}
