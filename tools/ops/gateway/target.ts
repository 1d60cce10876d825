/** The gateway that a command works on: its platform, queues, log and settings, as the operator reaches them. */
import * as z from "zod";
import limits from "../../../infra/alerts/limits.json" with { type: "json" };
import { createClient, type PlatformClient } from "../../../src/lib/platform/client.ts";
import { type Conferences, createConferences } from "../../../src/lib/platform/conferences.ts";
import { createPlatformStatus, type PlatformStatus } from "../../../src/lib/platform/status-api.ts";
import { createCredentials, createTransport } from "../../../src/lib/platform/transport.ts";
import { type Clock, systemClock } from "../../../src/lib/ports.ts";
import type { Queues } from "../../../src/lib/queue.ts";
import type { Settings } from "../../../src/lib/settings/settings.ts";
import { UnreachableError } from "../outcomes.ts";
import type { LogReader } from "./log.ts";

/** The conferencing platform, with the operator's credentials. */
export interface Platform {
  readonly conferences: Conferences;
  readonly status: PlatformStatus;
  readonly takeSlot: PlatformClient["background"]["takeSlot"];
  /** Looks one room up, and waits for it as long as a create does. Throws PlatformError. */
  readonly probe: () => Promise<void>;
}

export interface Target {
  /** For the first line of a screen. */
  readonly name: string;
  /** Since when it runs, for the same line. Undefined if that is not known. */
  readonly since: string | undefined;
  readonly gatewayUrl: string;
  /** The settings that the gateway runs with. Secrets that the operator cannot read are placeholders. */
  readonly settings: Settings;
  /** What the alerts of this deployment allow. */
  readonly limits: AlertLimits;
  readonly clock: Clock;
  readonly queues: Queues;
  readonly log: LogReader;
  /** Undefined if the operator has no credentials for the platform. */
  readonly platform: Platform | undefined;
  /** Returns the names of the settings whose secret in the vault could not be resolved. */
  readonly unresolvedSecrets: () => Promise<readonly string[]>;
  /** Returns the operator's object ID, or undefined if there is none. */
  readonly operatorId: () => Promise<string | undefined>;
}

const texts = z.array(z.string());
/** The limits of alerts that `status` shares, by alert. */
export const alertLimitsSchema = z.object({
  "agents-refused": z.object({ reads: z.number(), ignoredReasons: texts, ignoredCodes: texts }),
  "callers-refused": z.object({ calls: z.number(), statuses: z.array(z.number()), ignoredReasons: texts }),
  "deletion-queue-old": z.object({ seconds: z.number() }),
  "event-sink-silent": z.object({ rooms: z.number(), percentOfClaims: z.number() }),
  "server-errors": z.object({ failures: z.number(), percent: z.number() }),
});
type AlertLimits = z.output<typeof alertLimitsSchema>;

export const defaultLimits: AlertLimits = limits;

/** Returns which gateway this is, and since when it runs. */
export function headerOf({ name, since }: Target): string {
  return since === undefined ? name : `${name}, ${since}`;
}

/** A gateway for whose platform the operator has credentials. */
export type TargetWithPlatform = Target & { readonly platform: Platform };

/** Returns the gateway with its platform. Throws UnreachableError that says how to set credentials. */
export function requirePlatform(target: Target): TargetWithPlatform {
  const { platform, settings } = target;
  if (platform) return { ...target, platform };
  throw new UnreachableError(
    `This command needs your own credentials for ${settings.platform.url}. Set PLATFORM_USERNAME and PLATFORM_PASSWORD, ` +
      "or PLATFORM_OAUTH_CLIENT_ID and PLATFORM_OAUTH_PRIVATE_KEY: docs/security.md, The operator's role.",
  );
}

/** The longest time that a probe of anything but the platform waits for a response. */
export const probeSeconds = 5;

/** Opens the platform with the operator's credentials. Does not connect: the first call does. */
export function openPlatform(platform: Settings["platform"]): Platform {
  const { url, timeoutSeconds, maxConcurrency, secureContext } = platform;
  const client = createClient(createTransport(url, timeoutSeconds, { secureContext }), {
    timeoutSeconds,
    maxConcurrency,
    credentials: createCredentials(platform, systemClock),
    clock: systemClock,
  });
  return platformOf(client);
}

/** Returns the platform that this client calls. */
export function platformOf(client: PlatformClient): Platform {
  const { background } = client;
  const callers = createConferences(client);
  return {
    conferences: createConferences(background),
    status: createPlatformStatus(background),
    takeSlot: background.takeSlot,
    probe: async () => {
      await callers.findByName("probe-of-ops");
    },
  };
}

/** What names a deployment on Azure. */
export interface DeploymentNames {
  readonly subscription: string;
  readonly resourceGroup: string;
  /** Undefined if the tag of the environment names it. */
  readonly app?: string;
  /** Resource ID; undefined if the workspace is in the resource group. */
  readonly workspaceId: string | undefined;
  /** Undefined if a tag of the app has it. */
  readonly healthUrl?: string | undefined;
  /** The file in infra/environments, if one names the deployment. */
  readonly environment?: string;
}

/** The variables of the operator's shell. */
export type Environment = Readonly<Record<string, string | undefined>>;
