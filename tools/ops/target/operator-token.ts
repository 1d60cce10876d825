/** Gets a token for `/room/...` of a deployment. The gateway accepts applications only, no people. */
import { ClientSecretCredential, DefaultAzureCredential, type TokenCredential } from "@azure/identity";
import jsonwebtoken from "jsonwebtoken";
import * as z from "zod";
import { isLoopback } from "../../../src/lib/settings/formats.ts";
import type { Settings } from "../../../src/lib/settings/settings.ts";
import { UnreachableError } from "../outcomes.ts";
import { tokenFor } from "./azure-api.ts";
import type { Environment } from "./deployment-names.ts";

const claimsSchema = z.object({ appid: z.string().optional(), azp: z.string().optional() });

/**
 * Returns a token of the client application that `OPS_CLIENT_ID` and `OPS_CLIENT_SECRET` name, or else of whoever is
 * signed in, for example a managed identity. Throws UnreachableError if the gateway would refuse it.
 */
export async function fetchOperatorToken(
  bearer: Settings["bearer"],
  environment: Environment,
  credential: TokenCredential = credentialOf(bearer, environment),
): Promise<string> {
  const { audiences, clientIds } = bearer;
  const audience = audiences.find((name) => name.startsWith("api://")) ?? `api://${audiences[0]}`;
  const token = await tokenFor(`${audience}/.default`, credential);
  const { appid, azp } = claimsSchema.catch({}).parse(jsonwebtoken.decode(token));
  const clientId = azp ?? appid ?? "unknown";
  if (!clientIds.includes(clientId))
    throw new UnreachableError(
      `The gateway would refuse this token: its client ${clientId} is not among AUTH_CLIENT_IDS. ` +
        "Set OPS_CLIENT_ID and OPS_CLIENT_SECRET to a client application of the operators: docs/deployment.md, A new client application.",
    );
  return token;
}

function credentialOf(
  { authority, tenantId }: Settings["bearer"],
  environment: Environment,
): TokenCredential {
  const { OPS_CLIENT_ID: clientId, OPS_CLIENT_SECRET: secret } = environment;
  if (!clientId || !secret) return new DefaultAzureCredential();
  return new ClientSecretCredential(tenantId, clientId, secret, { authorityHost: authority });
}

/** Returns the operator's object ID, which the directory puts into every token; a loopback API asks for no token. */
export async function fetchOperatorId(
  resourceManagerUrl: string,
  credential: TokenCredential,
): Promise<string | undefined> {
  if (isLoopback(resourceManagerUrl)) return undefined;
  const token = await tokenFor(`${resourceManagerUrl}/.default`, credential);
  return z.object({ oid: z.string() }).safeParse(jsonwebtoken.decode(token)).data?.oid;
}
