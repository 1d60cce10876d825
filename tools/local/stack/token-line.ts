/** The line of a shell that gets a bearer token from a local gateway's token issuer. */
import { tokenRequest } from "../../simulators/consumer.ts";

/** Returns the line, which sets TOKEN. */
export function tokenLine(tokenUrl: string): string {
  const fields = Object.entries(tokenRequest).map(([name, value]) => `-d ${name}=${value}`);
  return `TOKEN=$(curl -s ${fields.join(" ")} ${tokenUrl} | sed -n 's/.*"access_token":"\\([^"]*\\).*/\\1/p')`;
}
