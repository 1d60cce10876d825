// What `azd up` reads: the values come from the azd environment (`azd env set NAME value`), see README.md.
using 'main.bicep'

param environmentName = readEnvironmentVariable('AZURE_ENV_NAME')
param location = readEnvironmentVariable('AZURE_LOCATION')
param environmentGroup = readEnvironmentVariable('ENVIRONMENT_GROUP', 'development')

param settings = {
  PLATFORM_URL: readEnvironmentVariable('PLATFORM_URL')
  PLATFORM_USERNAME: readEnvironmentVariable('PLATFORM_USERNAME', '')
  PLATFORM_OAUTH_CLIENT_ID: readEnvironmentVariable('PLATFORM_OAUTH_CLIENT_ID', '')
  MAX_VMR: int(readEnvironmentVariable('MAX_VMR', '10'))
  SERVICE_TAG_BASE_URL: readEnvironmentVariable('SERVICE_TAG_BASE_URL', '')
  CONTACT_CENTRE_API_URL: readEnvironmentVariable('CONTACT_CENTRE_API_URL')
  CONTACT_CENTRE_DIVISION_IDS: readEnvironmentVariable('CONTACT_CENTRE_DIVISION_IDS')
  EVENT_SINK_USERNAME: readEnvironmentVariable('EVENT_SINK_USERNAME')
}

param authTenantId = readEnvironmentVariable('AUTH_TENANT_ID')
param authAudiences = split(readEnvironmentVariable('AUTH_AUDIENCES'), ',')
param authClientIds = split(readEnvironmentVariable('AUTH_CLIENT_IDS'), ',')

param publisherName = readEnvironmentVariable('PUBLISHER_NAME')
param publisherEmail = readEnvironmentVariable('PUBLISHER_EMAIL')
param widgetOrigins = split(readEnvironmentVariable('WIDGET_ORIGINS'), ',')

param urgentEmails = split(readEnvironmentVariable('URGENT_EMAILS'), ',')
param routineEmails = split(readEnvironmentVariable('ROUTINE_EMAILS'), ',')

// The person who runs azd puts the secrets in.
param secretOfficerPrincipalId = readEnvironmentVariable('AZURE_PRINCIPAL_ID', '')
param secretOfficerPrincipalType = 'User'
