/** Chooses the room of a step, and creates the rooms of operators and other services. */
import type { Target } from "./history.ts";
import type { World } from "./world.ts";

/** Returns the name of the target room, or an unknown name if there is no such room. */
export function nameOf({ ledger, queues, platform }: World, { of, index }: Target): string {
  const names = {
    "handed-out": () => [...ledger.handedOut.keys()],
    // A name is pooled before its room exists. Without a room there is nothing to end or change.
    pooled: () => queues.pool.contents().flatMap(({ text }) => (platform.find(text) ? [text] : [])),
    persistent: () => namesWith("persistent"),
    foreign: () => namesWith("foreign"),
    plain: () => namesWith("plain"),
    unknown: () => [],
  }[of]();
  return names.at(-1 - (index % Math.max(1, names.length))) ?? "unknown-name";

  function namesWith(word: string): string[] {
    return platform.rooms().flatMap(({ name }) => (name.includes(word) ? [name] : []));
  }
}

/**
 * Returns the fields of an operator's room. A `persistent` one has a protected name and sometimes the copied marker of a
 * pooled room. A `foreign` one has another alias or service type. A `plain` one looks like a gateway room without marker.
 */
export function newRoomOf(of: "persistent" | "foreign" | "plain", number: number): Record<string, unknown> {
  const prefix = ["test_", "vkiosk_"][number % 2] ?? "test_";
  const name = of === "persistent" ? `${prefix}persistent-${number}` : `${of}-${number}`;
  const isCopy = of === "persistent" && number % 3 > 0;
  const isOtherService = of === "foreign" && number % 2 === 0;
  return {
    name,
    service_type: isOtherService ? "test_call" : "conference",
    description: isCopy ? "vmr-gateway pooled 2029-12-31T23:00:00.000Z" : "made by an operator",
    tag: "",
    pin: "",
    allow_guests: false,
    guest_pin: "",
    aliases: [{ alias: of === "foreign" ? `alias-of-${name}` : name }],
  };
}
