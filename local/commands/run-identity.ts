/**
 * Runs the token issuer, the contact-centre stub and the log workspace as one process. Usage:
 * `node local/commands/run-identity.ts '{"tenantId":"…","clients":[…],"users":[…]}'`; every part has a default.
 */
import * as z from "zod";
import { serveUntilEnded } from "../process/serve-until-ended.ts";
import { startContactCentre } from "../simulators/contact-centre.ts";
import { startTokenIssuer } from "../simulators/identity/token-issuer.ts";
import { startLogWorkspace } from "../simulators/log-workspace.ts";

const optionsSchema = z.strictObject({
  tenantId: z.string().default("11111111-1111-4111-8111-111111111111"),
  clients: z
    .array(z.object({ clientId: z.string(), clientSecret: z.string() }))
    .default([{ clientId: "22222222-2222-4222-8222-222222222222", clientSecret: "local-client-secret" }]),
  users: z
    .array(
      z.object({
        token: z.string(),
        id: z.string(),
        name: z.string(),
        divisionId: z.string(),
        divisionName: z.string(),
        state: z.enum(["active", "inactive", "deleted"]).default("active"),
      }),
    )
    .default([]),
  issuerPort: z.int().default(0),
  contactCentrePort: z.int().default(0),
  logWorkspacePort: z.int().default(0),
});

const options = optionsSchema.parse(JSON.parse(process.argv[2] ?? "{}"));
const issuer = await startTokenIssuer({ ...options, port: options.issuerPort });
const contactCentre = await startContactCentre({ users: options.users, port: options.contactCentrePort });
const logWorkspace = await startLogWorkspace({ port: options.logWorkspacePort });
await serveUntilEnded(
  {
    authorityUrl: issuer.url,
    tokenUrl: issuer.tokenUrl,
    contactCentreUrl: contactCentre.url,
    logWorkspaceUrl: logWorkspace.url,
  },
  () => Promise.all([issuer.stop(), contactCentre.stop(), logWorkspace.stop()]),
);
