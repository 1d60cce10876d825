/** The options that every command has: which gateway it works on. */
import { flag, type Option, text } from "./options.ts";

export const commonOptions = {
  local: flag("works on the gateway that `npm start` or `npm run stack` runs on this machine"),
  "connection-file": text(
    "FILE",
    "with --local: where that gateway's addresses are (default: the gateway that started last)",
  ),
  environment: text("NAME", "the azd environment that names the deployment (default: the current one)"),
  subscription: text("ID", "the subscription, instead of an azd environment"),
  "resource-group": text("NAME", "the resource group, instead of an azd environment"),
  app: text("NAME", "the function app, instead of an azd environment"),
  workspace: text("ID", "the resource ID of the log workspace, if it is not in the resource group"),
  help: flag("shows this help"),
} as const satisfies Record<string, Option<unknown>>;
