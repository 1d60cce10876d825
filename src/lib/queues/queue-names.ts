/** The names of the queues. They are part of the product's interface: infrastructure and operators use them too. */

/** Queue name by purpose. The Functions host creates the poison queue and names it. */
export const queueNames = {
  pool: "room-creation-queue",
  deletion: "room-deletion-queue",
  provisioning: "room-provisioning-queue",
  poison: "room-provisioning-queue-poison",
} as const;
