/** What the table decides about a room, by its row on the platform and by the messages about it. */
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { decide, decisions, maximumAge, requestOf } from "../../../src/lib/deletion/decisions.ts";
import { groupByRoom } from "../../../src/lib/ownership/deletion-queue.ts";
import { encodeRoomMessage, type OwnershipRules, type RoomMessage } from "../../../src/lib/ownership/room.ts";
import { formatMarker, gatewayName, otherGateway } from "../../support/markers.ts";

const queuedAt = Date.UTC(2026, 0, 15);
const marked = (state: "pooled" | "assigned", secondsAfterQueueing: number, gateway = gatewayName) => {
  const since = new Date(queuedAt + secondsAfterQueueing * 1000).toISOString();
  return { description: formatMarker({ gateway, state, since, messageId: "claim-1" }) };
};
const withoutClaim = { description: marked("assigned", 60).description.replace(" claim-1", "") };
const manual = { description: "created manually" };
const ofOtherOwner = { ...manual, sync_tag: "directory" };

type Message = Omit<RoomMessage, "room"> & { readonly secondsLater?: number };
const byEvent: Message = {};
const byGateway: Message = { queuedBy: "gateway", reason: "test" };
const byClaim: Message = { ...byGateway, claimId: "claim-1" };
const byAge: Message = { ...byClaim, reason: maximumAge };

const askedBy = (room: string, ...messages: Message[]) => {
  const queued = messages.map(({ secondsLater = 0, ...content }) => ({
    id: "message",
    text: encodeRoomMessage({ room, ...content }),
    popReceipt: "receipt",
    dequeueCount: 1,
    insertedAt: queuedAt + secondsLater * 1000,
    ageSeconds: 600,
  }));
  const [group] = groupByRoom(queued);
  if (!group) throw new Error("there is no message");
  return requestOf(group);
};

interface Found {
  readonly [field: string]: unknown;
  readonly name?: string;
  readonly unmarkedRooms?: OwnershipRules["unmarkedRooms"];
}

const later = marked("assigned", 60);
// However far the clock of its claim is ahead.
const ahead = marked("assigned", 3600);
const theirs = marked("assigned", -5, otherGateway);

test.each<[string, Found | undefined, Message[], string]>([
  ["is missing", undefined, [byEvent], "gone: keep"],
  ["is missing", undefined, [byGateway], "gone: keep"],
  ["was assigned before its message", marked("assigned", -60), [byEvent], "assigned-before: delete"],
  ["was assigned 5 s later", marked("assigned", 5), [byEvent], "assigned-before: delete"],
  ["was assigned 6 s later", marked("assigned", 6), [byEvent], "assigned-later: keep"],
  ["was assigned later", later, [byGateway], "assigned-later: keep"],
  ["was assigned by another claim", later, [{ ...byClaim, claimId: "no" }], "assigned-later: keep"],
  ["was assigned without an ID", withoutClaim, [byGateway], "assigned-later: keep"],
  // The youngest message counts.
  ["ended twice", later, [byEvent, { secondsLater: 90 }], "assigned-before: delete"],
  ["was given up", ahead, [byClaim], "given-up: delete-after-conference"],
  ["was given up and ended", ahead, [byClaim, { secondsLater: 1 }], "given-up: delete-after-conference"],
  // A later run queues it again.
  ["is overdue", ahead, [byAge], "given-up: delete"],
  ["is overdue and ended", ahead, [byAge, byEvent], "given-up: delete-after-conference"],
  ["is pooled", marked("pooled", -61), [byEvent], "pooled: keep"],
  ["is pooled", marked("pooled", -61), [byGateway], "pooled: delete-after-conference"],
  ["is persistent", { name: "test_room", ...marked("assigned", -60) }, [byEvent], "persistent: keep"],
  ["is persistent", { name: "vkiosk_7", ...manual }, [byGateway], "persistent: keep"],
  ["is unmarked", { ...manual, aliases: [] }, [byEvent], "unmarked: delete"],
  ["is unmarked", { ...manual, unmarkedRooms: "keep" }, [byEvent], "foreign: keep"],
  ["is unmarked", { ...manual, unmarkedRooms: "keep" }, [byGateway], "unmarked: delete-after-conference"],
  ["is marked", { ...marked("assigned", -5), unmarkedRooms: "keep" }, [byEvent], "assigned-before: delete"],
  ["is another owner's", ofOtherOwner, [byEvent], "foreign: keep"],
  ["is another owner's", ofOtherOwner, [byGateway], "unmarked: delete-after-conference"],
  ["is a lecture", { ...manual, service_type: "lecture" }, [byGateway], "foreign: keep"],
  ["is another gateway's", theirs, [byEvent], "other-gateway: keep"],
  ["is another gateway's", theirs, [byClaim], "other-gateway: keep"],
])("A room that %s is deleted or kept as its row says", (_, found, messages, expected) => {
  const { name = "room-a", unmarkedRooms = "collect", ...fields } = found ?? {};
  const row = found && { id: 1, name, aliases: [{ alias: name }], ...fields };
  const decision = decide(askedBy(name, ...messages), row, { gatewayName, unmarkedRooms });
  const ifLive = decision.actionIfLive === "postpone" ? "delete-after-conference" : "delete";
  expect(`${decision.reason}: ${decision.action === "keep" ? "keep" : ifLive}`).toBe(expected);
  expect(decision.row).toBe(row);
});

test("`docs/architecture.md` shows the decisions", async () => {
  const text = await readFile(new URL("../../../docs/architecture.md", import.meta.url), "utf8");
  const rows = [...text.matchAll(/^\| `([\w-]+)` \| .* \| ([a-z-]+) \| ([a-z-]+) \|$/gm)];
  const shown = rows.map(([, state = "", event, gateway]) => [state, { event, gateway }]);
  expect(Object.fromEntries(shown)).toEqual(decisions);
});
