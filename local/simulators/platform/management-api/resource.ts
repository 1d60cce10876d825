/** The methods of a resource of the simulated Management API; a missing one returns 405. */
import type { Listing } from "./listing.ts";

export interface Resource {
  readonly list: Listing;
  /** Returns one object as the platform shows it. Throws 404 if there is none. */
  readonly show: (id: string) => object;
  readonly create?: (body: Record<string, unknown>) => number;
  /** Keeps the fields that the body leaves out. */
  readonly update?: (id: string, body: Record<string, unknown>) => void;
  readonly remove?: (id: string) => void;
}
