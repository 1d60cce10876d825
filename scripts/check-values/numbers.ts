/**
 * The numbers of an environment. Bicep does not compare a number that it reads from a variable with its range, so Azure
 * would refuse it in the middle of a deployment.
 */
import * as z from "zod";

const number = (range: string, isIn: (value: number) => boolean) =>
  z
    .string()
    .refine((text) => /^\d+$/.test(text) && isIn(Number(text)), `must be ${range}`)
    .transform(Number)
    .optional();
const atLeast = (min: number) => number(`a whole number of at least ${min}`, (value) => value >= min);
const between = (min: number, max: number) =>
  number(`a whole number from ${min} to ${max}`, (value) => value >= min && value <= max);

const memories = [512, 2048, 4096];
/** Whole years. */
const longArchives = [1095, 1460, 1826, 2191, 2556, 2922, 3288, 3653, 4018, 4383];

/**
 * The range of each number, by its variable. Where Azure's pages give none, it is that of
 * function_app_flex_consumption_resource.go and log_analytics_workspace_table_resource.go in
 * https://github.com/hashicorp/terraform-provider-azurerm/tree/main/internal/services
 */
export const numbers = {
  // https://learn.microsoft.com/azure/azure-functions/flex-consumption-plan#considerations. Some regions refuse less than
  // 40.
  MAXIMUM_INSTANCE_COUNT: between(1, 1000),
  ALWAYS_READY_HTTP_INSTANCES: between(0, 1000),
  // Azure accepts less than 100, but then callers wait outside the app, which cannot refuse them.
  HTTP_CONCURRENCY: between(100, 1000),
  // https://learn.microsoft.com/azure/azure-functions/flex-consumption-plan#instance-memory
  INSTANCE_MEMORY_MB: number("512, 2048 or 4096", (value) => memories.includes(value)),
  // https://learn.microsoft.com/azure/api-management/rate-limit-by-key-policy states no range. 0 would refuse all calls.
  CALLS_PER_MINUTE_PER_CLIENT: atLeast(1),
  CALLS_PER_MINUTE_PER_ADDRESS: atLeast(1),
  EVENTS_PER_MINUTE_PER_ADDRESS: atLeast(1),
  // https://learn.microsoft.com/azure/azure-monitor/logs/data-retention-configure
  RETENTION_DAYS: between(30, 730),
  ARCHIVE_DAYS: number(
    `a whole number from 4 to 730, or one of ${longArchives.join(", ")}`,
    (value) => (value >= 4 && value <= 730) || longArchives.includes(value),
  ),
  // 0 means none. https://learn.microsoft.com/cli/azure/monitor/log-analytics/workspace states a minimum of 0.023.
  DAILY_LOG_CAP_GB: atLeast(0),
};
