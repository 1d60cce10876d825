/** Which room a step is about, and how rooms look that others put on the platform. */
import type { Target } from "./history.ts";
import type { World } from "./world.ts";

/** The name of the room meant; a name that nobody has when there is none of its kind. */
export function nameOf({ ledger, queues, table }: World, { of, index }: Target): string {
  const names = {
    "handed-out": () => [...ledger.handedOut.keys()],
    // A name comes before its room, and without a room there is nothing to end or to change.
    pooled: () => queues.pool.contents().flatMap(({ text }) => (table.find(text) ? [text] : [])),
    persistent: () => namesWith("persistent"),
    foreign: () => namesWith("foreign"),
    plain: () => namesWith("plain"),
    unknown: () => [],
  }[of]();
  return names.at(-1 - (index % Math.max(1, names.length))) ?? "nobody-has-this-name";

  function namesWith(word: string): string[] {
    return table.rows().flatMap(({ name }) => (name.includes(word) ? [name] : []));
  }
}

/**
 * A room that an operator makes: `persistent` by its name; `foreign` by its alias or as another service; `plain` looks
 * as if a service like ours had made it, but has no marker. Some persistent ones were copied from a room of ours.
 */
export function newcomer(of: "persistent" | "foreign" | "plain", number: number): Record<string, unknown> {
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
