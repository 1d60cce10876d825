/** Switches for behaviour that differs between platform versions or is unknown. */
import * as z from "zod";

const behaviourSchema = z.strictObject({
  /** `Location` after a create as an absolute URL instead of a bare path. */
  absoluteLocation: z.boolean(),
  /** PATCH returns the object instead of an empty body. */
  patchReturnsObject: z.boolean(),
  maxPageSize: z.int().min(1),
  minPinLength: z.int().min(4).max(20),
  /** The licensed number of rooms; null means no limit. */
  roomLimit: z.int().min(0).nullable(),
  requestLimitPerMinute: z.int().min(1).nullable(),
  /** Seconds until a create, change or delete reaches the conferencing nodes. */
  replicationSeconds: z.number().min(0),
});

export type Behaviours = z.output<typeof behaviourSchema>;

export const behaviourChangesSchema = behaviourSchema.partial();

export const defaultBehaviours: Behaviours = {
  absoluteLocation: false,
  patchReturnsObject: false,
  maxPageSize: 1000,
  minPinLength: 6,
  roomLimit: null,
  requestLimitPerMinute: 1000,
  replicationSeconds: 0,
};
