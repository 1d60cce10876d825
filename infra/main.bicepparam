// What `azd up` reads: the values come from the azd environment. hooks/check-values.sh asks for those that are missing
// and says what each is.
using 'main.bicep'

param environmentName = readEnvironmentVariable('AZURE_ENV_NAME')
param location = readEnvironmentVariable('AZURE_LOCATION')
param environmentGroup = readEnvironmentVariable('ENVIRONMENT_GROUP')

param settings = {
  PLATFORM_URL: readEnvironmentVariable('PLATFORM_URL')
  PLATFORM_USERNAME: readEnvironmentVariable('PLATFORM_USERNAME', '')
  PLATFORM_OAUTH_CLIENT_ID: readEnvironmentVariable('PLATFORM_OAUTH_CLIENT_ID', '')
  ROOM_TEMPLATE: json(readEnvironmentVariable('ROOM_TEMPLATE'))
  MAX_VMR: int(readEnvironmentVariable('MAX_VMR'))
  POOL_MINIMUM: int(readEnvironmentVariable('POOL_MINIMUM'))
  SERVICE_TAG_BASE_URL: readEnvironmentVariable('SERVICE_TAG_BASE_URL', '')
  CONTACT_CENTRE_API_URL: readEnvironmentVariable('CONTACT_CENTRE_API_URL')
  CONTACT_CENTRE_DIVISION_IDS: readEnvironmentVariable('CONTACT_CENTRE_DIVISION_IDS')
  EVENT_SINK_USERNAME: readEnvironmentVariable('EVENT_SINK_USERNAME')
  EVENT_SINK_PREVIOUS_USERNAME: readEnvironmentVariable('EVENT_SINK_PREVIOUS_USERNAME', '')
}

param authTenantId = readEnvironmentVariable('AUTH_TENANT_ID')
param authAudiences = split(readEnvironmentVariable('AUTH_AUDIENCES'), ',')
param authClientIds = split(readEnvironmentVariable('AUTH_CLIENT_IDS'), ',')

param privateNetwork = bool(readEnvironmentVariable('PRIVATE_NETWORK', 'false'))
param fixedOutboundAddress = bool(readEnvironmentVariable('FIXED_OUTBOUND_ADDRESS', 'false'))
param storageSku = readEnvironmentVariable('STORAGE_SKU', 'Standard_ZRS')

// Without either an environment costs less than ten dollars a month: docs/deployment.md.
param apiManagement = readEnvironmentVariable('API_MANAGEMENT', 'none')
param alerts = bool(readEnvironmentVariable('ALERTS', 'false'))
param requireApiManagementSecret = bool(readEnvironmentVariable('REQUIRE_API_MANAGEMENT_SECRET', 'false'))
param publisherName = readEnvironmentVariable('PUBLISHER_NAME')
param publisherEmail = readEnvironmentVariable('PUBLISHER_EMAIL')
param widgetOrigins = split(readEnvironmentVariable('WIDGET_ORIGINS'), ',')

param urgentEmails = split(readEnvironmentVariable('URGENT_EMAILS'), ',')
param routineEmails = split(readEnvironmentVariable('ROUTINE_EMAILS'), ',')

// The person who runs azd puts the secrets in.
param secretOfficerPrincipalId = readEnvironmentVariable('AZURE_PRINCIPAL_ID', '')
param secretOfficerPrincipalType = 'User'
