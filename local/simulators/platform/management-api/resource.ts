/** What every resource of the simulated Management API can be asked; a missing method is answered with 405. */
import type { Listing } from "./listing.ts";

export interface Resource {
  readonly list: Listing;
  /** One object as the platform shows it; 404 when there is none. */
  readonly show: (id: string) => object;
  readonly create?: (body: Record<string, unknown>) => number;
  /** `partial` keeps what the body leaves out (PATCH), otherwise it falls back to defaults (PUT). */
  readonly update?: (id: string, body: Record<string, unknown>, partial: boolean) => void;
  readonly remove?: (id: string) => void;
}
