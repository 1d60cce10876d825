/** The line of a shell that gets a bearer token from a local gateway's token issuer. */
import { consumer } from "../../simulators/identities.ts";

const form = {
  grant_type: "client_credentials",
  client_id: consumer.clientId,
  client_secret: consumer.clientSecret,
  scope: `api://${consumer.clientId}/.default`,
};

/** Returns the line, which sets TOKEN. */
export function tokenLine(tokenUrl: string): string {
  const fields = Object.entries(form).map(([name, value]) => `-d ${name}=${value}`);
  return `TOKEN=$(curl -s ${fields.join(" ")} ${tokenUrl} | sed -n 's/.*"access_token":"\\([^"]*\\).*/\\1/p')`;
}
