/** The options of `npm start`. */
import { InvalidArgumentError } from "@commander-js/extra-typings";
import { schemas } from "../../../src/lib/settings/settings.ts";
import { localSettings } from "../../simulators/gateway-settings.ts";
import { createCommand, type Surroundings, wholeNumber } from "../../terminal/create-command.ts";

// https://learn.microsoft.com/azure/azure-functions/disable-function
const disablesFunction = /^AzureWebJobs\.\w+\.Disabled$/;

// Without a token of its own issuer, npm start could not fill the pool.
const ownSettings = ["AUTH_AUTHORITY", "AUTH_TENANT_ID"];
// npm start fills the pool with simulated rooms, which no other gateway may hand out.
const onThisComputer = /UseDevelopmentStorage=true|QueueEndpoint=http:\/\/(?:127\.0\.0\.1|localhost)[:/]/;

/** Reads the options. Ends the process after the help, or after one line about an option that is not valid. */
export function readStartOptions(args: readonly string[], surroundings?: Surroundings) {
  const description = "Runs the gateway and everything it depends on until Ctrl-C.";
  return createCommand("npm start", description, surroundings)
    .option("--port <number>", "Port of the gateway. Default: 7071, or a free one.", wholeNumber(1, 65_535))
    .option("--set <NAME=value>", "Sets a setting of docs/reference.md. Repeatable.", setting)
    .option("--origin <url>", "Lets pages of this origin call the gateway (CORS). Repeatable.", origin)
    .option("--watch", "Restarts the app when a file of src changes. Rooms and queues stay.")
    .option("--inspect", "Lets a debugger attach to the app, on port 9229.")
    .option("--no-app", "Runs everything except the app, for `func start`, and writes local.settings.json.")
    .option("--replace", "With --no-app: replaces local.settings.json.")
    .option("--verbose", "Prints all log entries of the app, not only warnings and errors.")
    .parse(args, { from: "user" })
    .opts();
}

function setting(
  text: string,
  earlier: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError("It must be NAME=value.");
  const schema = schemas.get(name);
  if (!schema && !disablesFunction.test(name))
    throw new InvalidArgumentError(`There is no setting ${name}. Settings are listed in docs/reference.md.`);
  if (ownSettings.includes(name)) throw new InvalidArgumentError(`npm start sets ${name} itself.`);
  if (name === "AzureWebJobsStorage" && !onThisComputer.test(value))
    throw new InvalidArgumentError("AzureWebJobsStorage must be an Azurite on this computer.");
  if (value === "" && name in localSettings) throw new InvalidArgumentError(`${name} needs a value here.`);
  const fault = value === "" ? undefined : schema?.safeParse(value).error?.issues[0];
  if (fault) throw new InvalidArgumentError(`${name} ${fault.message}.`);
  return { ...earlier, [name]: value };
}

function origin(text: string, earlier: readonly string[] = []): readonly string[] {
  const url = /^https?:/.test(text) ? URL.parse(text) : null;
  // A copied origin often ends in a slash.
  if (url && url.href === `${url.origin}/` && text.startsWith(url.origin)) return [...earlier, url.origin];
  throw new InvalidArgumentError("It must be an origin, such as http://localhost:3000, without a path.");
}
