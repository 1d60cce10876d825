/** Builds the check for each kind of access from the settings. */
import type { Clock } from "../ports.ts";
import type { Settings } from "../settings/settings.ts";
import type { AccessChecks } from "./access.ts";
import { createApiManagementCheck } from "./api-management.ts";
import { createBasicCheck } from "./basic.ts";
import { createBearerCheck } from "./bearer.ts";
import { createContactCentreCheck } from "./contact-centre.ts";
import { fetchPublishedKeys } from "./published-keys.ts";
import { createSigningKeys } from "./signing-keys.ts";

/**
 * Creates one check per kind of access: a bearer token for `application`, the contact centre's token in
 * `X-Auth-Token` for `agent`, HTTP Basic for `event-sink`, nothing for `anyone`. All but `anyone` also require the secret
 * of API Management if one is set. A check returns the caller, and throws GatewayError if the caller is refused or cannot
 * be checked.
 */
export function createAccessChecks(
  settings: Pick<Settings, "apiManagementSecret" | "bearer" | "contactCentre" | "eventSink">,
  clock: Clock,
): AccessChecks {
  const { bearer, contactCentre, eventSink } = settings;
  const requireApiManagement = createApiManagementCheck(settings.apiManagementSecret);
  const fetchKeys = async () => fetchPublishedKeys(bearer.authority, bearer.tenantId);
  const checkBearer = createBearerCheck(bearer, createSigningKeys(fetchKeys, clock));
  const checkAgent = createContactCentreCheck(contactCentre, clock);
  const checkBasic = createBasicCheck(eventSink);
  return {
    application: async (headers, log) => {
      requireApiManagement(headers);
      return { kind: "application", id: await checkBearer(headers.get("authorization"), log) };
    },
    agent: async (headers, log) => {
      requireApiManagement(headers);
      await checkAgent(headers.get("x-auth-token"), log);
      return { kind: "agent" };
    },
    "event-sink": async (headers) => {
      requireApiManagement(headers);
      return { kind: "event-sink", credentials: checkBasic(headers.get("authorization")) };
    },
    anyone: async () => ({ kind: "anyone" }),
  };
}
