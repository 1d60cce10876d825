/** Starts everything that the gateway talks to, on loopback in this process. */

import { gatewaySettings } from "./gateway-settings.ts";
import { startPlatformSimulator } from "./platform/platform-simulator.ts";
import { startAzurite } from "./services/azurite.ts";
import { startContactCentre } from "./services/contact-centre.ts";
import type { Port } from "./services/listen.ts";
import { startLogWorkspace } from "./services/log-workspace.ts";
import { startTokenIssuer } from "./services/token-issuer.ts";

export type DevelopmentStack = Awaited<ReturnType<typeof startDevelopmentStack>>;

export interface DevelopmentStackOptions {
  /** Also starts Azurite's table service, which `func start` needs. */
  readonly withTables?: boolean;
  /** The default is a free port. */
  readonly issuerPort?: Port;
}

/** Starts all parts on free ports of 127.0.0.1. Stops what was started if a later part fails to start. */
export async function startDevelopmentStack(options: DevelopmentStackOptions = {}) {
  await using parts = new AsyncDisposableStack();
  const started = <Part extends { stop: () => Promise<void> }>(part: Part): Part =>
    parts.adopt(part, async () => part.stop());
  const azurite = started(await startAzurite({ table: options.withTables ?? false }));
  const platform = started(await startPlatformSimulator());
  const issuer = started(await startTokenIssuer(options.issuerPort));
  const contactCentre = started(await startContactCentre());
  const logWorkspace = started(await startLogWorkspace());
  /** The gateway's settings for this stack. */
  const settings = gatewaySettings({
    connectionString: azurite.connectionString,
    platformUrl: platform.url,
    authorityUrl: issuer.url,
    contactCentreUrl: contactCentre.url,
    logWorkspaceUrl: logWorkspace.url,
  });
  const running = parts.move();
  const stop = async (): Promise<void> => running.disposeAsync();
  return { azurite, platform, issuer, contactCentre, logWorkspace, settings, stop };
}
