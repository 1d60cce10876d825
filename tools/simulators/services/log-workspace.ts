/** Simulates the log workspace: stores uploaded rows and the app's log, and fails on demand. */
import { gunzipSync } from "node:zlib";
import * as z from "zod";
import { parseJson } from "../../../src/lib/json.ts";
import type { LogEntry } from "../host/messages.ts";
import { createFaults, type FaultInput, faultAnswer } from "./faults.ts";
import { type Answer, type LoopbackRequest, startLoopbackServer } from "./loopback-server.ts";

const rowsSchema = z.array(z.record(z.string(), z.unknown()));

// Enough for hours of local use.
const maxTraces = 20_000;

/** The event of a line that the host logged, for example when the app did not load. */
export const hostFailureEvent = "host-failure";

/** Starts the simulator on 127.0.0.1. Uploads are JSON arrays, gzipped or plain; anything else returns 500. */
export async function startLogWorkspace() {
  const stored: { ruleId: string; stream: string; row: z.output<typeof rowsSchema>[number] }[] = [];
  /** The lines of the app's log, each a JSON object. */
  const traces: { time: string; fields: object }[] = [];
  const faults = createFaults();

  function answer(request: LoopbackRequest): Answer {
    const route = `${request.method} ${request.url.pathname}`;
    if (route === "GET /control/rows") return { status: 200, body: stored };
    if (route === "GET /control/traces") return { status: 200, body: traces };
    return upload(request);
  }

  function upload(request: LoopbackRequest): Answer {
    const address = /^\/dataCollectionRules\/([^/]+)\/streams\/([^/]+)$/.exec(request.url.pathname);
    if (request.method !== "POST" || !address?.[1] || !address[2]) return { status: 404 };
    const fault = faults.take(request.method, request.url.pathname);
    if (fault) return faultAnswer(fault);
    const plain = request.headers["content-encoding"] === "gzip" ? gunzipSync(request.body) : request.body;
    const rows = rowsSchema.parse(JSON.parse(plain.toString("utf8")));
    const ruleId = decodeURIComponent(address[1]);
    const stream = decodeURIComponent(address[2]);
    for (const row of rows) stored.push({ ruleId, stream, row });
    return { status: 204 };
  }

  /** Everything except JSON objects is omitted. */
  function addTrace(message: string, time = new Date()): void {
    const fields = parseJson(message);
    if (typeof fields !== "object" || fields === null || Array.isArray(fields)) return;
    traces.push({ time: time.toISOString(), fields });
    if (traces.length > maxTraces) traces.splice(0, traces.length - maxTraces);
  }

  const server = await startLoopbackServer(answer);
  return {
    url: server.url,
    stop: server.stop,
    rows: () => [...stored],
    /** Refuses the next `count` uploads (default 1) with this status. */
    failNext: (fault: FaultInput) => faults.add({ count: 1, ...fault }),
    addTrace,
    /** Stores what the app logged, and the first line of each of the host's errors, as Application Insights does. */
    addEntry: ({ level, category, message }: LogEntry) => {
      const [line = ""] = message.split("\n");
      if (category.endsWith(".User")) addTrace(message);
      else if (level === "error") addTrace(JSON.stringify({ event: hostFailureEvent, message: line }));
    },
    clearFaults: faults.clear,
  };
}
