/** Runs one part of what the gateway calls as its own process: `storage`, `platform` or `identity`. */

import { startAzurite } from "../../simulators/azurite.ts";
import { startContactCentre } from "../../simulators/contact-centre.ts";
import { contactCentreUsers, platformAccount, tenant } from "../../simulators/identities.ts";
import { startLogWorkspace } from "../../simulators/log-workspace.ts";
import { startPlatformSimulator } from "../../simulators/platform/platform-simulator.ts";
import { untilEndRequested } from "../../simulators/process/until-end-requested.ts";
import { startTokenIssuer } from "../../simulators/token-issuer.ts";

const [part] = process.argv.slice(2);
const endRequested = untilEndRequested();
console.log(JSON.stringify(await start()));
await endRequested;
process.exit();

/** Returns the URLs. */
async function start(): Promise<object> {
  if (part === "storage") {
    const { connectionString } = await startAzurite({ blob: true });
    return { connectionString };
  }
  if (part === "platform") {
    const { url, controlUrl } = await startPlatformSimulator({
      ...platformAccount,
      requestLimitPerMinute: null,
    });
    return { platformUrl: url, controlUrl };
  }
  // The token issuer, the contact centre and the log workspace.
  const { url, tokenUrl } = await startTokenIssuer(tenant);
  const contactCentre = await startContactCentre({ users: contactCentreUsers });
  const logWorkspace = await startLogWorkspace();
  return {
    authorityUrl: url,
    tokenUrl,
    contactCentreUrl: contactCentre.url,
    logWorkspaceUrl: logWorkspace.url,
  };
}
