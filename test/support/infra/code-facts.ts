/** What the tests of the infrastructure need to know of the code, in one place. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { HttpRequest, InvocationContext } from "@azure/functions";
import * as z from "zod";
import { eventSink } from "../../../src/functions/event-sink.ts";
import { toHandler } from "../../../src/lib/http/pipeline.ts";
import { PlatformError } from "../../../src/lib/platform/platform-error.ts";
import { describeFailure } from "../../../src/lib/platform/rejected-fields.ts";
import { systemClock } from "../../../src/lib/ports.ts";
import { openAccess } from "../open-access.ts";

export { updateRoom } from "../../../src/functions/update-room.ts";
export { createRecordContainer } from "../../../src/lib/azure/blob-records.ts";
export type { LogFields } from "../../../src/lib/log.ts";
export { createLog } from "../../../src/lib/log.ts";
export { type MetricsRow, metricsColumns } from "../../../src/lib/metrics/row.ts";
export { queueNames } from "../../../src/lib/ports.ts";
export { loadSettings } from "../../../src/lib/settings/load-settings.ts";
export { settingNames } from "../../../src/lib/settings/schemas.ts";
export { eventSink };

const Contract = z.object({ route: z.string(), access: z.string(), answersHead: z.boolean().optional() });

/** Each HTTP function by the name under which the app registers it. */
export async function httpFunctions() {
  const folder = join("src", "functions");
  const files = readdirSync(folder).filter((name) => /^[a-z-]+\.ts$/.test(name));
  const modules = await Promise.all(
    files.map(async (name): Promise<unknown> => import(pathToFileURL(join(folder, name)).href)),
  );
  return modules.flatMap((module) =>
    Object.entries(z.record(z.string(), z.unknown()).parse(module)).flatMap(([name, value]) => {
      const contract = Contract.safeParse(value);
      return contract.success ? [{ name, ...contract.data }] : [];
    }),
  );
}

/** The fields of the line of a request, which depend on its caller and its function: here, of an ignored event. */
const requestFields = await readRequestFields();

async function readRequestFields(): Promise<string[]> {
  const lines: string[] = [];
  const logHandler = (_level: string, line: unknown) => void lines.push(String(line));
  const endedRooms = { queueForDeletion: async () => undefined };
  const handler = toHandler(eventSink, { accessChecks: openAccess, clock: systemClock, endedRooms });
  const body = JSON.stringify({ event: "participant_connected" });
  const headers = { "content-type": "application/json", "content-length": String(body.length) };
  const url = "http://127.0.0.1/public/event_sink";
  await handler(
    new HttpRequest({ method: "POST", url, headers, body: { string: body } }),
    new InvocationContext({ functionName: "eventSink", logHandler }),
  );
  return ["code", ...lines.flatMap((line) => Object.keys(JSON.parse(line)))];
}

/** The fields of a spread in a call of the log: those that the function of that name returns. */
function spreadFields(field: string): string[] {
  if (!field.startsWith("...describeFailure(")) return [field];
  const message = "PATCH: status 400";
  const body = { conference: { tag: [] } };
  return Object.keys(describeFailure(new PlatformError({ outcome: "refused", status: 400, message, body })));
}

/** The events that the app logs, each with the names of the fields that stand in the call. */
export function loggedEvents(): ReadonlyMap<string, readonly string[]> {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  const calls = files.flatMap((name) => [
    ...readFileSync(join("src", name), "utf8").matchAll(
      /log\.(?:info|warn|error)\("([\w-]+)"(?:, \{([^}]*)\})?/g,
    ),
  ]);
  const events = new Map<string, readonly string[]>([["request", requestFields]]);
  for (const [, event = "", fields = ""] of calls) {
    const names = fields.split(",").flatMap((field) => spreadFields(field.split(":")[0]?.trim() ?? ""));
    events.set(event, [...(events.get(event) ?? []), ...names]);
  }
  return events;
}

/** The reasons that the app gives for a failed request in its log. */
export function failureCodes(): string[] {
  const table = readFileSync(join("src", "lib", "errors.ts"), "utf8");
  const codes = [...table.matchAll(/^ {2}"?([\w-]+)"?: \{ status: \d+/gm)].map(([, code]) => code ?? "");
  return [...codes, "unexpected"];
}
