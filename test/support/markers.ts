/** Markers of the gateway that the tests run. */
import { formatMarker as format, type Marker } from "../../src/lib/ownership/room.ts";
import { identities } from "../../tools/simulators/identities.ts";

export const gatewayName: string = identities.gatewayName;
/** Begins with the name of the gateway. */
export const otherGateway = `${gatewayName}-eu`;

/** Returns the marker line, of another gateway if it is named. */
export function formatMarker(marker: Omit<Marker, "gateway"> & { readonly gateway?: string }): string {
  return format({ gateway: gatewayName, ...marker });
}
