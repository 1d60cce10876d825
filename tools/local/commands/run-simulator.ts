/** Runs one part of what the gateway talks to as its own process: `storage`, `platform <options as JSON>` or `identity`. */

import { startAzurite } from "../../simulators/azurite.ts";
import { startContactCentre } from "../../simulators/contact-centre.ts";
import { contactCentreUsers, tenant } from "../../simulators/identities.ts";
import { startLogWorkspace } from "../../simulators/log-workspace.ts";
import { startPlatformSimulator } from "../../simulators/platform/platform-simulator.ts";
import { simulatorOptionsSchema } from "../../simulators/platform/platform-state.ts";
import { serveUntilEnded } from "../../simulators/process/serve-until-ended.ts";
import { startTokenIssuer } from "../../simulators/token-issuer.ts";

const [part, options = "{}"] = process.argv.slice(2);
if (part === "storage") {
  const { connectionString, queueServiceUrl, stop } = await startAzurite({ blob: true });
  await serveUntilEnded({ connectionString, queueServiceUrl }, stop);
} else if (part === "platform") {
  const { url, controlUrl, stop } = await startPlatformSimulator(
    simulatorOptionsSchema.parse(JSON.parse(options)),
  );
  await serveUntilEnded({ url, controlUrl }, stop);
} else {
  // The token issuer, the contact centre and the log workspace.
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
}
