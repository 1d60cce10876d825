// The app settings: every setting of the app by its own name, the host's own, and references to the vault's secrets.
param appName string
param settings object
param authTenantId string
param authAudiences array
param authClientIds array
param authAuthority string
param vaultUri string
param identityClientId string
param blobUri string
param queueUri string
param tableUri string
param insightsConnectionString string
param ingestionEndpoint string
param ingestionRuleId string
param ingestionStream string
param requireApiManagementSecret bool

// Read by the Functions host alone, except the three that the app's own queue client reads too.
var hostSettings = {
  AzureWebJobsStorage__blobServiceUri: blobUri
  AzureWebJobsStorage__queueServiceUri: queueUri
  AzureWebJobsStorage__tableServiceUri: tableUri
  AzureWebJobsStorage__credential: 'managedidentity'
  AzureWebJobsStorage__clientId: identityClientId
  APPLICATIONINSIGHTS_CONNECTION_STRING: insightsConnectionString
  APPLICATIONINSIGHTS_AUTHENTICATION_STRING: 'ClientId=${identityClientId};Authorization=AAD'
  // The Azure SDK's default credential picks the user-assigned identity by this name.
  AZURE_CLIENT_ID: identityClientId
  // 17 MiB, one more than the largest body that the app takes: the host holds a whole body in memory before the app sees
  // its length, 100 MB by default. https://learn.microsoft.com/azure/azure-functions/functions-app-settings
  FUNCTIONS_REQUEST_BODY_SIZE_LIMIT: 17825792
}

// What a deployment starts from; the environment's own values go over it. Empty ones are left out below, and the
// app then uses its default or names what it misses.
var gatewayDefaults = {
  PLATFORM_URL: ''
  PLATFORM_USERNAME: ''
  PLATFORM_OAUTH_CLIENT_ID: ''
  PLATFORM_OAUTH_SCOPE: ''
  PLATFORM_TIMEOUT_SECONDS: 10
  PLATFORM_MAX_CONCURRENCY: 5
  ROOM_TEMPLATE: {}
  ROOM_MAXIMUM_AGE_HOURS: ''
  MAX_VMR: ''
  POOL_LEASE_SECONDS: 300
  POOL_MINIMUM: ''
  // The platform takes about 90 s to replicate a new room to its nodes.
  POOL_READY_DELAY_SECONDS: 90
  SERVICE_TAG_BASE_URL: ''
  UNMARKED_ROOMS: 'collect'
  GC_MAX_MESSAGES: 20
  GC_MINIMUM_AGE_SECONDS: 600
  AUTH_REQUIRED_ROLE: ''
  CONTACT_CENTRE_API_URL: ''
  CONTACT_CENTRE_DIVISION_IDS: ''
  EVENT_SINK_USERNAME: ''
  EVENT_SINK_PREVIOUS_USERNAME: ''
}

var given = union(gatewayDefaults, settings)

var fromInfrastructure = {
  AUTH_TENANT_ID: authTenantId
  AUTH_AUDIENCES: join(authAudiences, ',')
  AUTH_CLIENT_IDS: join(authClientIds, ',')
  AUTH_AUTHORITY: authAuthority
  LOGS_INGESTION_ENDPOINT: ingestionEndpoint
  LOGS_INGESTION_RULE_ID: ingestionRuleId
  LOGS_INGESTION_STREAM: ingestionStream
}

// Without a version in the address the host fetches the newest one, so rotation needs no deployment.
// One log-in to the platform: the password when a user name is given, the private key otherwise.
var secretReferences = {
  PLATFORM_PASSWORD: empty(given.PLATFORM_USERNAME) ? '' : '@Microsoft.KeyVault(SecretUri=${vaultUri}secrets/PLATFORM-PASSWORD)'
  PLATFORM_OAUTH_PRIVATE_KEY: empty(given.PLATFORM_USERNAME) ? '@Microsoft.KeyVault(SecretUri=${vaultUri}secrets/PLATFORM-OAUTH-PRIVATE-KEY)' : ''
  ROOM_HOST_PIN: '@Microsoft.KeyVault(SecretUri=${vaultUri}secrets/ROOM-HOST-PIN)'
  EVENT_SINK_PASSWORD: '@Microsoft.KeyVault(SecretUri=${vaultUri}secrets/EVENT-SINK-PASSWORD)'
  API_MANAGEMENT_SECRET: requireApiManagementSecret ? '@Microsoft.KeyVault(SecretUri=${vaultUri}secrets/API-MANAGEMENT-SECRET)' : ''
  EVENT_SINK_PREVIOUS_PASSWORD: empty(given.EVENT_SINK_PREVIOUS_USERNAME) ? '' : '@Microsoft.KeyVault(SecretUri=${vaultUri}secrets/EVENT-SINK-PREVIOUS-PASSWORD)'
}

var all = union(hostSettings, given, fromInfrastructure, secretReferences)
var filled = filter(items(all), setting => !empty(string(setting.value)))

resource app 'Microsoft.Web/sites@2024-04-01' existing = {
  name: appName
}

resource appSettings 'Microsoft.Web/sites/config@2024-04-01' = {
  parent: app
  name: 'appsettings'
  properties: toObject(filled, setting => setting.key, setting => string(setting.value))
}
