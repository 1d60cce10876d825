/** Switches for behaviour that differs between platform versions or is unknown. */
import * as z from "zod";

const behaviourSchema = z.strictObject({
  /** `Location` after a create as an absolute URL instead of a bare path. */
  absoluteLocation: z.boolean(),
  /** PATCH returns the object instead of an empty body. */
  patchReturnsObject: z.boolean(),
  missingSlash: z.enum(["redirect", "404"]),
  /** Wrong credentials get 401, or a redirect to the log-in page. */
  unauthenticated: z.enum(["401", "redirect"]),
  /** A new room whose nested alias is taken: refused whole, refused with the room left behind, or the alias moves. */
  createAliasConflict: z.enum(["refuse", "parent_stays", "move"]),
  /** Nested aliases on PATCH and PUT: added (and taken from other rooms), or a true replacement. */
  updateAliases: z.enum(["add", "replace"]),
  maxPageSize: z.int().min(1),
  minPinLength: z.int().min(4).max(20),
  /** The licensed number of rooms; null means no limit. */
  roomLimit: z.int().min(0).nullable(),
  requestLimitPerMinute: z.int().min(1).nullable(),
  retryAfterWhenLimited: z.boolean(),
  /** Seconds until a create, change or delete reaches the conferencing nodes. */
  replicationSeconds: z.number().min(0),
  /** Additional milliseconds for each request in flight beyond the fifth. */
  slowdownMilliseconds: z.number().min(0),
});

export type Behaviours = z.output<typeof behaviourSchema>;

export const behaviourChangesSchema = behaviourSchema.partial();

export const defaultBehaviours: Behaviours = {
  absoluteLocation: false,
  patchReturnsObject: false,
  missingSlash: "redirect",
  unauthenticated: "401",
  createAliasConflict: "refuse",
  updateAliases: "add",
  maxPageSize: 1000,
  minPinLength: 6,
  roomLimit: null,
  requestLimitPerMinute: 1000,
  retryAfterWhenLimited: true,
  replicationSeconds: 0,
  slowdownMilliseconds: 0,
};
