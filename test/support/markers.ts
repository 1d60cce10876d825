/** Markers of the gateway that the tests run, whose name is the default. */
import { formatMarker as format, type Marker } from "../../src/lib/ownership/room.ts";

export const gatewayName = "vmr-gateway";

/** Returns the marker line, of another gateway if it is named. */
export function formatMarker(marker: Omit<Marker, "gateway"> & { readonly gateway?: string }): string {
  return format({ gateway: gatewayName, ...marker });
}
