// Reads an environment's values from environment variables. infra/environments has a file per environment, and
// infra/README.md explains each variable. Variables without a second argument are required.
using 'main.bicep'

var none = ''

param environmentName = readEnvironmentVariable('AZURE_ENV_NAME')
param location = readEnvironmentVariable('AZURE_LOCATION')
param tags = json(readEnvironmentVariable('TAGS', '{}'))
// Stops at null and at fractions, which no setting can be.
param settings = mapValues(json(readEnvironmentVariable('GATEWAY_SETTINGS')), value => string(value))

param hosting = {
  isZoneRedundant: bool(readEnvironmentVariable('ZONE_REDUNDANT', 'false'))
  updateStrategy: readEnvironmentVariable('UPDATE_STRATEGY')
  maximumInstanceCount: int(readEnvironmentVariable('MAXIMUM_INSTANCE_COUNT', '4'))
  alwaysReadyHttpInstances: int(readEnvironmentVariable('ALWAYS_READY_HTTP_INSTANCES', '0'))
  httpConcurrency: int(readEnvironmentVariable('HTTP_CONCURRENCY', '500'))
  instanceMemoryMb: int(readEnvironmentVariable('INSTANCE_MEMORY_MB', '2048'))
  storageSku: readEnvironmentVariable('STORAGE_SKU', 'Standard_ZRS')
}

param network = {
  isPrivate: bool(readEnvironmentVariable('PRIVATE_NETWORK', 'false'))
  hasFixedOutboundAddress: bool(readEnvironmentVariable('FIXED_OUTBOUND_ADDRESS', 'false'))
  addressPrefix: readEnvironmentVariable('NETWORK_ADDRESS_PREFIX', '10.40.0.0/23')
  existingAppSubnetId: readEnvironmentVariable('EXISTING_APP_SUBNET_ID', none)
  existingApiManagementSubnetId: readEnvironmentVariable('EXISTING_API_MANAGEMENT_SUBNET_ID', none)
  existingEndpointSubnetId: readEnvironmentVariable('EXISTING_ENDPOINT_SUBNET_ID', none)
  existingDnsZonesGroupId: readEnvironmentVariable('EXISTING_DNS_ZONES_GROUP_ID', none)
}

param vault = {
  isProtected: bool(readEnvironmentVariable('PROTECT_VAULT', 'false'))
  writerId: readEnvironmentVariable('VAULT_WRITER_ID', none)
  writerType: readEnvironmentVariable('VAULT_WRITER_TYPE', 'User')
}

param apiManagement = {
  mode: readEnvironmentVariable('API_MANAGEMENT', 'none')
  existingId: readEnvironmentVariable('EXISTING_API_MANAGEMENT_ID', none)
  publisherEmail: readEnvironmentVariable('PUBLISHER_EMAIL', 'nobody@example.com')
  path: readEnvironmentVariable('API_PATH', none)
  publicUrl: readEnvironmentVariable('PUBLIC_URL_OF_CONSUMERS', none)
  widgetOrigins: split(readEnvironmentVariable('WIDGET_ORIGINS'), ',')
  callsPerMinutePerClient: int(readEnvironmentVariable('CALLS_PER_MINUTE_PER_CLIENT', '600'))
  callsPerMinutePerAddress: int(readEnvironmentVariable('CALLS_PER_MINUTE_PER_ADDRESS', '600'))
  eventsPerMinutePerAddress: int(readEnvironmentVariable('EVENTS_PER_MINUTE_PER_ADDRESS', '6000'))
}

param logging = {
  existingWorkspaceId: readEnvironmentVariable('EXISTING_WORKSPACE_ID', none)
  retentionDays: int(readEnvironmentVariable('RETENTION_DAYS', '90'))
  archiveDays: int(readEnvironmentVariable('ARCHIVE_DAYS', '90'))
  dailyCapGb: int(readEnvironmentVariable('DAILY_LOG_CAP_GB', '0'))
}

param alerts = {
  areOn: bool(readEnvironmentVariable('ALERTS', 'false'))
  urgentEmails: filter(split(readEnvironmentVariable('URGENT_EMAILS', none), ','), entry => !empty(entry))
  urgentPhones: filter(split(readEnvironmentVariable('URGENT_PHONES', none), ','), entry => !empty(entry))
  urgentWebhooks: filter(split(readEnvironmentVariable('URGENT_WEBHOOKS', none), ','), entry => !empty(entry))
  routineEmails: filter(split(readEnvironmentVariable('ROUTINE_EMAILS', none), ','), entry => !empty(entry))
  limits: json(readEnvironmentVariable('ALERT_LIMITS', '{}'))
}
