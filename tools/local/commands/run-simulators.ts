/**
 * Runs everything that the gateway talks to until its end is requested. The line that it prints is a JSON object with the
 * gateway's settings, the URL of the platform's control API, and a token that is valid for about an hour.
 */
import { startDevelopmentStack } from "../../simulators/development-stack.ts";
import { identities } from "../../simulators/identities.ts";
import { untilEndRequested } from "../../simulators/process/stop-signal.ts";

const endRequested = untilEndRequested();
const { settings, platform, issuer, stop } = await startDevelopmentStack();
const accessToken = issuer.issueToken(identities.clientId);
console.log(JSON.stringify({ settings, controlUrl: platform.controlUrl, accessToken }));
await endRequested;
await stop();
process.exit(0);
