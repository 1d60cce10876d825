// The function app: Node 24 on Flex Consumption, its settings, and its identities.
@export()
@sealed()
type hostingOptions = {
  isZoneRedundant: bool
  updateStrategy: 'RollingUpdate' | 'Recreate'
  @description('Per kind of function: HTTP, the queue trigger and each timer scale separately.')
  @minValue(1)
  @maxValue(1000)
  maximumInstanceCount: int
  alwaysReadyHttpInstances: int
  @description('An instance refuses callers when about 400 wait. Whoever waits outside cannot be refused.')
  @minValue(100)
  @maxValue(1000)
  httpConcurrency: int
  @description('512, 2048 or 4096.')
  instanceMemoryMb: int
  storageSku: 'Standard_LRS' | 'Standard_ZRS' | 'Standard_GZRS'
}

param name string
param environmentName string
param location string
param tags object
param hosting hostingOptions
param settings object
param identityId string
param identityClientId string
param packageIdentityId string
param packageContainerUrl string
param publicNetworkAccess string
@description('Empty without a network.')
param subnetId string
param browserOrigins array
param vaultUrl string
@description('The storage account by service.')
param storageUrls object
param insightsConnectionString string
param healthUrl string
param ingestion object

resource plan 'Microsoft.Web/serverfarms@2024-11-01' = {
  name: 'plan-vmr-${environmentName}'
  location: location
  tags: tags
  kind: 'functionapp'
  sku: { name: 'FC1', tier: 'FlexConsumption' }
  properties: {
    reserved: true
    zoneRedundant: hosting.isZoneRedundant
  }
}

resource app 'Microsoft.Web/sites@2024-11-01' = {
  name: name
  location: location
  // infra/deploy.sh and `npm run ops` find the app by the tag of its environment, and read this one.
  tags: union(tags, { 'vmr-gateway-health': healthUrl })
  kind: 'functionapp,linux'
  identity: {
    type: 'UserAssigned'
    userAssignedIdentities: { '${identityId}': {}, '${packageIdentityId}': {} }
  }
  properties: {
    serverFarmId: plan.id
    httpsOnly: true
    publicNetworkAccess: publicNetworkAccess
    keyVaultReferenceIdentity: identityId
    virtualNetworkSubnetId: empty(subnetId) ? null : subnetId
    siteConfig: {
      minTlsVersion: '1.2'
      cors: empty(browserOrigins) ? null : { allowedOrigins: browserOrigins }
    }
    functionAppConfig: {
      deployment: {
        storage: {
          type: 'blobContainer'
          value: packageContainerUrl
          authentication: {
            type: 'UserAssignedIdentity'
            userAssignedIdentityResourceId: packageIdentityId
          }
        }
      }
      runtime: { name: 'node', version: '24' }
      scaleAndConcurrency: {
        instanceMemoryMB: hosting.instanceMemoryMb
        maximumInstanceCount: hosting.maximumInstanceCount
        alwaysReady: hosting.alwaysReadyHttpInstances == 0 ? [] : [
          { name: 'http', instanceCount: hosting.alwaysReadyHttpInstances }
        ]
        triggers: { http: { perInstanceConcurrency: hosting.httpConcurrency } }
      }
      // The published types lack it: https://learn.microsoft.com/azure/azure-functions/flex-consumption-site-updates
      #disable-next-line BCP037
      siteUpdateStrategy: { type: hosting.updateStrategy }
    }
  }
}

// Publishing passwords are shared keys. Deployments authenticate with Entra ID.
resource ftpPasswords 'Microsoft.Web/sites/basicPublishingCredentialsPolicies@2024-11-01' = {
  parent: app
  name: 'ftp'
  properties: { allow: false }
}

resource scmPasswords 'Microsoft.Web/sites/basicPublishingCredentialsPolicies@2024-11-01' = {
  parent: app
  name: 'scm'
  properties: { allow: false }
}

// The app itself refuses more than 1 MiB. The host holds a whole body in memory before the app sees its length, 100 MB by
// default, so all bodies together must stay below half of an instance's memory. Measured locally, 500 bodies of 1 MiB at
// once raise the app's own process from 135 to 317 MiB.
// https://learn.microsoft.com/azure/azure-functions/functions-app-settings
var maximumBodyBytes = 2097152

var infrastructureSettings = {
  AzureWebJobsStorage__blobServiceUri: storageUrls.blob
  AzureWebJobsStorage__queueServiceUri: storageUrls.queue
  AzureWebJobsStorage__tableServiceUri: storageUrls.table
  AzureWebJobsStorage__credential: 'managedidentity'
  AzureWebJobsStorage__clientId: identityClientId
  APPLICATIONINSIGHTS_CONNECTION_STRING: insightsConnectionString
  APPLICATIONINSIGHTS_AUTHENTICATION_STRING: 'ClientId=${identityClientId};Authorization=AAD'
  FUNCTIONS_REQUEST_BODY_SIZE_LIMIT: min(maximumBodyBytes, hosting.instanceMemoryMb * 524288 / hosting.httpConcurrency - 1)
  // The app logs a name that it does not know.
  GIVEN_SETTING_NAMES: join(objectKeys(settings), ',')
  LOGS_INGESTION_ENDPOINT: ingestion.endpoint
  LOGS_INGESTION_RULE_ID: ingestion.ruleId
  LOGS_INGESTION_STREAM: ingestion.stream
}

// The platform's credentials: the password if there is a user name, otherwise the private key.
var hasPassword = contains(settings, 'PLATFORM_USERNAME')
var secretSettings = concat(
  ['ROOM_HOST_PIN', 'EVENT_SINK_PASSWORD', hasPassword ? 'PLATFORM_PASSWORD' : 'PLATFORM_OAUTH_PRIVATE_KEY'],
  contains(settings, 'EVENT_SINK_PREVIOUS_USERNAME') ? ['EVENT_SINK_PREVIOUS_PASSWORD'] : [])

// Without a version in the URL, the host fetches the newest one, so rotation needs no deployment.
var secretReferences = toObject(secretSettings, setting => setting, setting =>
  '@Microsoft.KeyVault(SecretUri=${vaultUrl}secrets/${replace(setting, '_', '-')})')

// Defaults that differ from the local ones. The platform needs about 90 seconds to replicate a new room, and a run of the
// collector ends by its time.
var given = union({ GATEWAY_NAME: environmentName, POOL_READY_DELAY_SECONDS: 90, GC_MAX_MESSAGES: 10000 }, settings)

resource appSettings 'Microsoft.Web/sites/config@2024-11-01' = {
  parent: app
  name: 'appsettings'
  properties: mapValues(union(given, infrastructureSettings, secretReferences), value => string(value))
}

output id string = app.id
output name string = app.name
output hostName string = app.properties.defaultHostName
