/**
 * Settings of the Functions host that Flex Consumption refuses late, ignores or is harmed by. An environment may give
 * others: https://learn.microsoft.com/azure/azure-functions/functions-app-settings#flex-consumption-plan-deprecations
 */

const harmsTls = "can break TLS and metrics on this plan. All times are UTC";
const ofTemplate = "is the template's on this plan";
const noProcesses = "is not valid on this plan";
const ofPackage = "has no effect on this plan, which runs the package of its own container";

/** Why each of them must not be given, by its name. */
export const refusedHostSettings: Readonly<Record<string, string>> = {
  WEBSITE_TIME_ZONE: harmsTls,
  TZ: harmsTls,
  FUNCTIONS_EXTENSION_VERSION: ofTemplate,
  FUNCTIONS_WORKER_RUNTIME: ofTemplate,
  FUNCTIONS_WORKER_RUNTIME_VERSION: ofTemplate,
  WEBSITE_NODE_DEFAULT_VERSION: ofTemplate,
  WEBSITE_MAX_DYNAMIC_APPLICATION_SCALE_OUT: "has no effect on this plan: set MAXIMUM_INSTANCE_COUNT",
  FUNCTIONS_MAX_HTTP_CONCURRENCY: "has no effect on this plan: set HTTP_CONCURRENCY",
  FUNCTIONS_WORKER_PROCESS_COUNT: noProcesses,
  FUNCTIONS_WORKER_DYNAMIC_CONCURRENCY_ENABLED: noProcesses,
  WEBSITE_RUN_FROM_PACKAGE: ofPackage,
  WEBSITE_CONTENTAZUREFILECONNECTIONSTRING: ofPackage,
  WEBSITE_CONTENTSHARE: ofPackage,
  // https://learn.microsoft.com/azure/azure-functions/flex-consumption-plan#considerations
  WEBSITE_LOAD_CERTIFICATES: "has no effect on this plan: set PLATFORM_CA",
};
