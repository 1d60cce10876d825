/** What every resource of the simulated Management API can be asked; a missing method is answered with 405. */
import type { Listing } from "./listing.ts";

export interface Resource {
  list: Listing;
  /** One object as the platform shows it; 404 when there is none. */
  show: (id: string) => object;
  create?: (body: Record<string, unknown>) => number;
  /** `partial` keeps what the body leaves out (PATCH), otherwise it falls back to defaults (PUT). */
  update?: (id: string, body: Record<string, unknown>, partial: boolean) => void;
  remove?: (id: string) => void;
}
