/** Runs the token issuer, the contact-centre stub and the log workspace as one process, with the made-up identities. */

import { serveUntilEnded } from "../process/serve-until-ended.ts";
import { startContactCentre } from "../simulators/contact-centre.ts";
import { startLogWorkspace } from "../simulators/log-workspace.ts";
import { startTokenIssuer } from "../simulators/token-issuer.ts";
import { contactCentreUsers, tenant } from "../stack/identities.ts";

const issuer = await startTokenIssuer(tenant);
const contactCentre = await startContactCentre({ users: contactCentreUsers });
const logWorkspace = await startLogWorkspace();
await serveUntilEnded(
  {
    authorityUrl: issuer.url,
    tokenUrl: issuer.tokenUrl,
    contactCentreUrl: contactCentre.url,
    logWorkspaceUrl: logWorkspace.url,
  },
  () => Promise.all([issuer.stop(), contactCentre.stop(), logWorkspace.stop()]),
);
