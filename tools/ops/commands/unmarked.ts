/** `ops unmarked`: lists the rooms of a service that ran before the gateway, and has them deleted. */
import { readFile } from "node:fs/promises";
import { queueForDeletion } from "../../../src/lib/ownership/deletion-queue.ts";
import { isForeign, isPersistent, parseMarker } from "../../../src/lib/ownership/room.ts";
import { count, deletionTime } from "../../terminal/format.ts";
import { requirePlatform } from "../gateway/target.ts";
import type { Context, Flags, Operator } from "../operator-program.ts";
import { firstLine, type Outcome, UsageError } from "../outcomes.ts";
import { namesToDelete } from "../pool/room-views.ts";
import { withProgress } from "../terminal.ts";

export function addUnmarked({ command, run }: Operator): void {
  command(
    "unmarked",
    "lists rooms without a gateway's marker, and has those deleted that a file names",
    "For use after the gateway has replaced another service: docs/deployment.md, Taking over from a running service. " +
      "Persistent rooms are left out, and those that show another owner or cannot be dialled by their names. The garbage " +
      "collection deletes a room after its conference, also with UNMARKED_ROOMS=keep.",
  )
    .argument("[FILE]", "A file that names one room per line, in plain text or in Base64.")
    .option("--yes", "Carries it out. Without this option, the command only says what it would do.")
    .action(async (file, options) => run(unmarked)({ ...options, ...(file !== undefined && { file }) }));
}

interface UnmarkedOptions extends Flags<"yes"> {
  readonly file?: string;
}

async function unmarked({ file, yes }: UnmarkedOptions, context: Context): Promise<Outcome> {
  const { terminal, connect, stopping, conclude } = context;
  if (yes && file === undefined) throw new UsageError("--yes needs a FILE that names the rooms");
  const text = file === undefined ? "" : await read(file);
  const target = requirePlatform(await connect());
  const rows = await target.platform.conferences.list();
  const unmarkedRows = rows.filter(({ description }) => parseMarker(description) === undefined);
  const names = unmarkedRows
    .filter((row) => !isForeign(row, "collect") && !isPersistent(row.name))
    .map(({ name }) => name);
  terminal.remark(`${count(names.length, "room")} without a marker.`);
  if (file === undefined) {
    for (const name of names) terminal.print(name);
    return names.length === 0 ? "ok" : "finding";
  }
  const listed = new Set(names);
  const named = new Set<string>();
  const unknown: number[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    // A name looks like Base64 itself, so the platform decides what the line is.
    const name = [line, Buffer.from(line, "base64").toString()].find((each) => listed.has(each));
    if (name !== undefined) named.add(name);
    else if (line !== "") unknown.push(index + 1);
  }
  if (unknown.length > 0)
    terminal.print(
      `${count(unknown.length, "line")} of ${file} name none of them; the first is ${unknown[0]}.`,
    );
  // Queued again, a room would wait for the full time again.
  const waiting = await namesToDelete(target);
  const due = [...named].filter((name) => !waiting.has(name));
  if (!yes) return conclude("finding", `Would delete ${count(due.length, "room")}. Do it with --yes.`);
  const operator = await target.operatorId();
  let queued = 0;
  await withProgress(terminal, "rooms", due.length, async (show) => {
    for (const room of due) {
      if (stopping.aborted) return;
      await queueForDeletion(target.queues.deletion, { room, reason: "ops unmarked", operator });
      queued += 1;
      show(queued);
    }
  });
  terminal.print(
    `${count(queued, "room")} queued; ${named.size - due.length} waited already. They will be deleted ` +
      `${deletionTime(target.settings)}, or after the conference.`,
  );
  if (stopping.aborted) return "interrupted";
  return unknown.length > 0 ? "finding" : "ok";
}

async function read(file: string): Promise<string> {
  return readFile(file, "utf8").catch((error: unknown) => {
    throw new UsageError(`FILE cannot be read: ${firstLine(error)}`);
  });
}
