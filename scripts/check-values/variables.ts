/**
 * What Bicep accepts in the variables of an environment, although Azure refuses it late, or although it has no effect.
 */
import { readFileSync } from "node:fs";
import * as z from "zod";
import alertLimits from "../../infra/alerts/limits.json" with { type: "json" };
import { parseJson } from "../../src/lib/json.ts";
import { absoluteUrl, list, origin } from "../../src/lib/settings/formats.ts";
import { numbers } from "./numbers.ts";

/** A URL as browsers write origins, and without a final slash, because paths are added to it. */
const exactly = (format: typeof absoluteUrl) =>
  z.string().check(({ value, issues }) => {
    const { data, error } = format.safeParse(value);
    const message = error?.issues[0]?.message ?? `must be written as ${data}`;
    if (data !== value) issues.push({ code: "custom", input: value, message });
  });
const text = (pattern: RegExp, example: string) => z.string().regex(pattern, `must be such as ${example}`);
const resourceId = text(
  /^\/subscriptions(?:\/[^/]+){7}$/,
  "/subscriptions/ID/resourceGroups/NAME/providers/TYPE/TYPE/NAME",
);
const groupId = text(
  /^\/subscriptions\/[^/]+\/resourceGroups\/[^/]+$/i,
  "/subscriptions/ID/resourceGroups/NAME",
);
const subnetId = text(
  /^\/subscriptions(?:\/[^/]+){7}\/subnets\/[^/]+$/,
  "/subscriptions/ID/resourceGroups/NAME/providers/Microsoft.Network/virtualNetworks/NAME/subnets/NAME",
);
// The subnets of infra/network.bicep need so much.
const addressPrefix = text(/^(?:\d{1,3}\.){3}\d{1,3}\/(?:[89]|1\d|2[0-3])$/, "10.40.0.0/23, or larger");
/** Bicep also accepts `True`, which infra/deploy.sh would take for false. */
const boolean = z.enum(["true", "false"]);
const listOf = (format: z.ZodType<string, string>) => list.pipe(z.array(format)).optional();
const json = z
  .string()
  .transform(parseJson)
  .refine((value) => value !== undefined, { error: "must be JSON", abort: true });

// Azure's limits, as ApiManagementApiPath and monitor_scheduled_query_rules_alert_v2_resource.go have them in
// https://github.com/hashicorp/terraform-provider-azurerm/tree/main/internal/services.
const path = text(/^[\w.:-]+(?:\/[\w.:-]+)*$/, "video/rooms");
const window = text(/^(?:PT(?:5|10|15|30|45)M|PT[1-6]H|P[12]D)$/, "PT15M or P1D");
const formats: Readonly<Record<string, z.ZodType>> = {
  count: z.int().min(1),
  window,
  severity: z.int().min(0).max(4),
};
const numbersOf = (limits: object) => Object.entries(limits).filter(([, value]) => !Array.isArray(value));
const AlertLimits = z.strictObject(
  Object.fromEntries(
    Object.entries(alertLimits).map(([alert, limits]) => {
      const shape = numbersOf(limits).map(([name]) => [name, formats[name] ?? z.int()] as const);
      return [alert, z.strictObject(Object.fromEntries(shape)).partial().optional()];
    }),
  ),
);

// https://learn.microsoft.com/azure/azure-resource-manager/management/tag-resources#limitations. One of the 15 is the
// gateway's own.
const tagOfZones = /^[A-Za-z_.-][\w.-]*$/;
const maxTags = 14;

/** Returns the number that the template takes without a variable. */
function defaultOf(name: keyof typeof numbers): number {
  const template = readFileSync("infra/main.bicepparam", "utf8");
  return Number(new RegExp(`'${name}', '(\\d+)'`).exec(template)?.[1]);
}

const Variables = z
  .object({
    ...numbers,
    WIDGET_ORIGINS: list.pipe(z.array(exactly(origin))),
    PUBLIC_URL_OF_CONSUMERS: exactly(absoluteUrl).optional(),
    API_MANAGEMENT: z.enum(["none", "new", "existing"]),
    API_PATH: path.optional(),
    EXISTING_API_MANAGEMENT_ID: resourceId.optional(),
    EXISTING_WORKSPACE_ID: resourceId.optional(),
    ALERT_LIMITS: json.pipe(AlertLimits),
    TAGS: json.pipe(z.record(z.string(), z.string())),
    PRIVATE_NETWORK: boolean,
    FIXED_OUTBOUND_ADDRESS: boolean.optional(),
    ZONE_REDUNDANT: boolean.optional(),
    PROTECT_VAULT: boolean.optional(),
    ALERTS: boolean.optional(),
    NETWORK_ADDRESS_PREFIX: addressPrefix.optional(),
    EXISTING_APP_SUBNET_ID: subnetId.optional(),
    EXISTING_API_MANAGEMENT_SUBNET_ID: subnetId.optional(),
    EXISTING_ENDPOINT_SUBNET_ID: subnetId.optional(),
    EXISTING_DNS_ZONES_GROUP_ID: groupId.optional(),
    VAULT_WRITER_ID: z.guid("must be an object ID").optional(),
    URGENT_EMAILS: listOf(z.email()),
    ROUTINE_EMAILS: listOf(z.email()),
    URGENT_PHONES: listOf(text(/^\d+-\d+$/, "49-1701234567")),
    AVAILABILITY_TEST_REGIONS: list
      .pipe(z.array(z.string()).length(3, "must be three location tags"))
      .optional(),
  })
  .refine((given) => (given.API_MANAGEMENT === "existing") === "EXISTING_API_MANAGEMENT_ID" in given, {
    path: ["EXISTING_API_MANAGEMENT_ID"],
    error: "belongs to API_MANAGEMENT=existing, which needs it",
  })
  .refine(
    ({ ALWAYS_READY_HTTP_INSTANCES: ready = 0, MAXIMUM_INSTANCE_COUNT: maximum }) =>
      ready <= (maximum ?? defaultOf("MAXIMUM_INSTANCE_COUNT")),
    { path: ["ALWAYS_READY_HTTP_INSTANCES"], error: "must be at most MAXIMUM_INSTANCE_COUNT" },
  )
  .refine(
    ({ ARCHIVE_DAYS: archived = Infinity, RETENTION_DAYS: kept }) =>
      archived >= (kept ?? defaultOf("RETENTION_DAYS")),
    { path: ["ARCHIVE_DAYS"], error: "has no effect below RETENTION_DAYS" },
  )
  .refine((given) => !hasOwnZones(given) || Object.keys(given.TAGS).every((name) => tagOfZones.test(name)), {
    path: ["TAGS"],
    error: "private DNS zones allow names of letters, digits, '_', '-' and '.', without a digit first",
  })
  .refine(
    (given) =>
      (!hasOwnZones(given) && given.API_MANAGEMENT !== "new") || Object.keys(given.TAGS).length <= maxTags,
    {
      path: ["TAGS"],
      error: `private DNS zones and a new API Management allow ${maxTags} tags`,
    },
  );

/** Whether the template makes private DNS zones, or links to them, which have the tags. */
function hasOwnZones(given: { PRIVATE_NETWORK: string; EXISTING_APP_SUBNET_ID?: string | undefined }) {
  return given.PRIVATE_NETWORK === "true" && given.EXISTING_APP_SUBNET_ID === undefined;
}

/** Returns the faults of the variables, each with the name of its variable. An empty variable counts as not given. */
export function faultsOfVariables(values: Readonly<Record<string, string | undefined>>): string[] {
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
  const defaults = {
    WIDGET_ORIGINS: "",
    API_MANAGEMENT: "none",
    ALERT_LIMITS: "{}",
    TAGS: "{}",
    PRIVATE_NETWORK: "false",
  };
  const issues = Variables.safeParse({ ...defaults, ...given }).error?.issues ?? [];
  return issues.map(({ path: place, message }) => [...place, message].join(": "));
}
