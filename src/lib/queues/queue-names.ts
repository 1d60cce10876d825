/** The names of the queues, part of the product's surface: infrastructure and operators use them too. */
export const queueNames = {
  pool: "room-creation-queue",
  deletion: "room-deletion-queue",
  provisioning: "room-provisioning-queue",
  poison: "room-provisioning-queue-poison",
} as const;
