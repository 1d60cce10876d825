// Composes the gateway from small modules: one resource group with everything in it, for one environment.
targetScope = 'subscription'

@description('The settings of the app that differ between environments, by the names that the app reads. Secrets are not among them: they live in the vault. What is left out has the default of modules/app-settings.bicep.')
@sealed()
type gatewaySettings = {
  PLATFORM_URL: string
  @description('The log-in by password. Without it the private key is used, with PLATFORM_OAUTH_CLIENT_ID.')
  PLATFORM_USERNAME: string?
  PLATFORM_OAUTH_CLIENT_ID: string?
  PLATFORM_OAUTH_SCOPE: string?
  PLATFORM_TIMEOUT_SECONDS: int?
  PLATFORM_MAX_CONCURRENCY: int?
  ROOM_TEMPLATE: object?
  ROOM_MAXIMUM_AGE_HOURS: int?
  MAX_VMR: int
  POOL_LEASE_SECONDS: int?
  POOL_MINIMUM: int?
  POOL_READY_DELAY_SECONDS: int?
  SERVICE_TAG_BASE_URL: string?
  @description('keep wherever the platform is shared with other systems.')
  UNMARKED_ROOMS: ('collect' | 'keep')?
  GC_MAX_MESSAGES: int?
  GC_MINIMUM_AGE_SECONDS: int?
  AUTH_REQUIRED_ROLE: string?
  CONTACT_CENTRE_API_URL: string
  @description('Ids, separated by commas.')
  CONTACT_CENTRE_DIVISION_IDS: string
  EVENT_SINK_USERNAME: string
  @description('Only while the credentials of the event sink are being changed.')
  EVENT_SINK_PREVIOUS_USERNAME: string?
}

type phone = {
  @description('Without a plus sign, for example 49.')
  countryCode: string
  phoneNumber: string
}

type budget = {
  @description('In the currency of the subscription.')
  amount: int
  @description('The month of the first deployment with a budget, such as 2026-12; Azure does not let it be changed later.')
  firstMonth: string
}

@description('Short name of the environment, part of every resource name.')
@minLength(2)
@maxLength(12)
param environmentName string

@description('The region of every resource; an existing workspace must be in it too. The list has regions that offer Flex Consumption, API Management v2 and zone-redundant storage: docs/deployment.md says how to check another one before adding it.')
@allowed([
  'australiaeast'
  'centralindia'
  'eastasia'
  'eastus'
  'eastus2'
  'francecentral'
  'germanywestcentral'
  'italynorth'
  'japaneast'
  'northeurope'
  'norwayeast'
  'southcentralus'
  'southeastasia'
  'swedencentral'
  'uksouth'
  'westeurope'
  'westus2'
  'westus3'
])
param location string = deployment().location

@description('Which group of environments this one belongs to. Each group has client ids of its own.')
@allowed(['development', 'test', 'production'])
param environmentGroup string

param settings gatewaySettings

@description('The directory tenant whose tokens are accepted.')
param authTenantId string
@minLength(1)
param authAudiences string[]
@description('The client applications of this group of environments, and no others.')
@minLength(1)
param authClientIds string[]
@description('Where the tenant\'s signing keys are found; empty for the public cloud.')
param authAuthority string = ''

@description('The maximum number of instances of each kind of function: HTTP, each queue and each timer scale apart. Some regions refuse values below 40.')
@minValue(1)
@maxValue(1000)
param maximumInstanceCount int = 4
@description('Instances for HTTP that are kept warm; 0 accepts a cold start after a quiet time.')
@minValue(0)
param alwaysReadyHttpInstances int = 0
@description('Requests at once on one instance before another one is started.')
@minValue(1)
param httpConcurrency int = 16
@allowed([512, 2048, 4096])
param instanceMemoryMb int = 2048

@description('Standard_LRS where a region has no zones.')
@allowed(['Standard_LRS', 'Standard_ZRS', 'Standard_GZRS'])
param storageSku string = 'Standard_ZRS'

@description('True closes storage, vault and app to the internet and gives them private endpoints.')
param privateNetwork bool = false
@description('True sends the app\'s calls through a NAT gateway with one fixed address, for platforms with an allow-list.')
param fixedOutboundAddress bool = false
@description('At least a /24; used with privateNetwork or fixedOutboundAddress only.')
param networkAddressPrefix string = '10.40.0.0/24'

@description('Resource id of a workspace to use instead of a new one.')
param existingWorkspaceId string = ''
@minValue(30)
@maxValue(730)
param retentionDays int = 90
@description('Gigabytes of logs a day after which a new workspace takes no more until the next day; 0 for no cap.')
@minValue(0)
param dailyLogCapGb int = 0

@description('none: callers reach the app directly, without rate limits. new: a service of this environment. existing: the service of existingApiManagementId.')
@allowed(['none', 'new', 'existing'])
param apiManagement string = 'new'
@description('Resource id of the API Management service to use with apiManagement \'existing\'.')
param existingApiManagementId string = ''
@description('True lets the app refuse calls that did not come through API Management. The secret API-MANAGEMENT-SECRET must be in the vault before: docs/deployment.md, The second run.')
param requireApiManagementSecret bool = false
@description('The host name of a new API Management service, for example rooms.example.com; empty for the service\'s own.')
param customHostName string = ''
@description('Address of the certificate\'s secret in the vault, without a version; needed with customHostName.')
param customHostCertificateUri string = ''
@description('StandardV2 is the smallest that reaches a private network; with privateNetwork it is used whatever is set here.')
@allowed(['BasicV2', 'StandardV2'])
param apiManagementSku string = 'BasicV2'
param publisherName string
param publisherEmail string
@description('Path before /room and /public; needed when the service has another API at its root.')
param apiPath string = ''
@description('Origins of the agents\' desktop widget, for example https://widget.example.com.')
@minLength(1)
param widgetOrigins string[]
@minValue(1)
param callsPerMinutePerClient int = 600
@minValue(1)
param callsPerMinutePerAddress int = 120
@minValue(1)
param eventsPerMinutePerAddress int = 6000

@description('False makes neither alert rules nor an availability test, for a team that tries the gateway out.')
param alerts bool = true
@description('Addresses that are woken by severity 0 and 1.')
@minLength(1)
param urgentEmails string[]
@description('Telephones that get a text message at severity 0 and 1.')
param urgentPhones phone[] = []
@description('Addresses of an on-call system that are called at severity 0 and 1.')
param urgentWebhooks string[] = []
@description('Addresses that are told of the other severities.')
@minLength(1)
param routineEmails string[]
@description('Other thresholds, windows or severities by alert name, as in modules/alerts.bicep.')
param alertLimits object = {}
@description('Mails when the resource group has cost 80 and 100 percent of the amount in a month; amount 0 for no budget.')
param monthlyBudget budget = { amount: 0, firstMonth: '2026-12' }

@description('Object id of the person or group that puts secrets into the vault; empty when the role is given elsewhere.')
param secretOfficerPrincipalId string = ''
@allowed(['Group', 'User', 'ServicePrincipal'])
param secretOfficerPrincipalType string = 'Group'

var unique = uniqueString(subscription().subscriptionId, environmentName, location)
var appName = 'func-vmr-${environmentName}-${unique}'
var tags = {
  'azd-env-name': environmentName
  'environment-group': environmentGroup
}
var publicNetworkAccess = privateNetwork ? 'Disabled' : 'Enabled'
var hasNetwork = privateNetwork || fixedOutboundAddress
var hasApiManagement = apiManagement != 'none'
var isProduction = environmentGroup == 'production'
var sendsApiManagementSecret = hasApiManagement && requireApiManagementSecret
var groupName = 'rg-vmr-gateway-${environmentName}'

// /subscriptions/<2>/resourceGroups/<4>/providers/<type>/<8>
var workspaceIdParts = split(existingWorkspaceId, '/')
var workspaceSubscriptionId = empty(existingWorkspaceId) ? subscription().subscriptionId : workspaceIdParts[2]
var workspaceGroupName = empty(existingWorkspaceId) ? groupName : workspaceIdParts[4]
var serviceIdParts = split(existingApiManagementId, '/')
var serviceSubscriptionId = apiManagement == 'existing' ? serviceIdParts[2] : subscription().subscriptionId
var serviceGroupName = apiManagement == 'existing' ? serviceIdParts[4] : groupName

resource group 'Microsoft.Resources/resourceGroups@2024-03-01' = {
  name: groupName
  location: location
  tags: tags
}

module identity 'modules/identity.bicep' = {
  name: 'identity'
  scope: group
  params: {
    name: 'id-vmr-${environmentName}'
    location: location
    tags: tags
  }
}

module monitoring 'modules/monitoring.bicep' = {
  name: 'monitoring'
  scope: group
  params: {
    suffix: 'vmr-${environmentName}'
    location: location
    tags: tags
    existingWorkspaceId: existingWorkspaceId
    workspaceSubscriptionId: workspaceSubscriptionId
    workspaceGroupName: workspaceGroupName
    retentionDays: retentionDays
    dailyLogCapGb: dailyLogCapGb
    appPrincipalId: identity.outputs.principalId
  }
}

module outboundAddress 'modules/outbound-address.bicep' = if (fixedOutboundAddress) {
  name: 'outbound-address'
  scope: group
  params: {
    name: 'nat-vmr-${environmentName}'
    location: location
    tags: tags
  }
}

module network 'modules/network.bicep' = if (hasNetwork) {
  name: 'network'
  scope: group
  params: {
    name: 'vnet-vmr-${environmentName}'
    location: location
    tags: tags
    addressPrefix: networkAddressPrefix
    natGatewayId: fixedOutboundAddress ? outboundAddress!.outputs.natGatewayId : ''
  }
}

module storage 'modules/storage.bicep' = {
  name: 'storage'
  scope: group
  params: {
    name: 'stvmr${unique}'
    location: location
    tags: tags
    skuName: storageSku
    workspaceId: monitoring.outputs.workspaceId
    appPrincipalId: identity.outputs.principalId
    publicNetworkAccess: publicNetworkAccess
  }
}

module keyVault 'modules/key-vault.bicep' = {
  name: 'key-vault'
  scope: group
  params: {
    name: 'kv-vmr-${unique}'
    location: location
    tags: tags
    isProduction: isProduction
    publicNetworkAccess: publicNetworkAccess
    workspaceId: monitoring.outputs.workspaceId
    appPrincipalId: identity.outputs.principalId
    secretOfficerPrincipalId: secretOfficerPrincipalId
    secretOfficerPrincipalType: secretOfficerPrincipalType
  }
}

module functionPlan 'modules/function-plan.bicep' = {
  name: 'function-plan'
  scope: group
  params: {
    name: 'plan-vmr-${environmentName}'
    location: location
    tags: tags
  }
}

module functionApp 'modules/function-app.bicep' = {
  name: 'function-app'
  scope: group
  params: {
    name: appName
    location: location
    tags: tags
    planId: functionPlan.outputs.id
    identityId: identity.outputs.id
    packageContainerUri: storage.outputs.packageContainerUri
    instanceMemoryMb: instanceMemoryMb
    maximumInstanceCount: maximumInstanceCount
    httpConcurrency: httpConcurrency
    alwaysReadyHttpInstances: alwaysReadyHttpInstances
    publicNetworkAccess: publicNetworkAccess
    subnetId: hasNetwork ? network!.outputs.appSubnetId : ''
    // API Management answers the widget's preflight; without it the app's own host does.
    browserOrigins: hasApiManagement ? [] : widgetOrigins
    workspaceId: monitoring.outputs.workspaceId
  }
}

module appSettings 'modules/app-settings.bicep' = {
  name: 'app-settings'
  scope: group
  params: {
    appName: functionApp.outputs.name
    settings: settings
    authTenantId: authTenantId
    authAudiences: authAudiences
    authClientIds: authClientIds
    authAuthority: authAuthority
    vaultUri: keyVault.outputs.uri
    identityClientId: identity.outputs.clientId
    blobUri: storage.outputs.blobUri
    queueUri: storage.outputs.queueUri
    tableUri: storage.outputs.tableUri
    insightsConnectionString: monitoring.outputs.insightsConnectionString
    ingestionEndpoint: monitoring.outputs.ingestionEndpoint
    ingestionRuleId: monitoring.outputs.ingestionRuleId
    ingestionStream: monitoring.outputs.ingestionStream
    requireApiManagementSecret: sendsApiManagementSecret
  }
}

module privateEndpoints 'modules/private-endpoints.bicep' = if (privateNetwork) {
  name: 'private-endpoints'
  scope: group
  params: {
    location: location
    tags: tags
    networkId: network!.outputs.id
    subnetId: network!.outputs.endpointSubnetId
    storageId: storage.outputs.id
    vaultId: keyVault.outputs.id
    appId: functionApp.outputs.id
  }
}

module apiManagementIdentity 'modules/identity.bicep' = if (!empty(customHostName)) {
  name: 'api-management-identity'
  scope: group
  params: {
    name: 'id-vmr-api-management-${environmentName}'
    location: location
    tags: tags
  }
}

module certificateReader 'modules/vault-reader.bicep' = if (!empty(customHostName)) {
  name: 'certificate-reader'
  scope: group
  params: {
    vaultName: keyVault.outputs.name
    principalId: apiManagementIdentity!.outputs.principalId
  }
}

module newApiManagement 'modules/api-management.bicep' = if (apiManagement == 'new') {
  name: 'api-management'
  scope: group
  // The service reads the certificate while it is being made.
  dependsOn: [certificateReader]
  params: {
    name: 'apim-vmr-${environmentName}-${unique}'
    location: location
    tags: tags
    skuName: privateNetwork ? 'StandardV2' : apiManagementSku
    publisherName: publisherName
    publisherEmail: publisherEmail
    subnetId: privateNetwork ? network!.outputs.apiManagementSubnetId : ''
    workspaceId: monitoring.outputs.workspaceId
    hostName: customHostName
    certificateUri: customHostCertificateUri
    identityId: empty(customHostName) ? '' : apiManagementIdentity!.outputs.id
    identityClientId: empty(customHostName) ? '' : apiManagementIdentity!.outputs.clientId
  }
}

module serviceIdentity 'modules/api-management-identity.bicep' = if (sendsApiManagementSecret) {
  name: 'service-identity-${environmentName}'
  scope: resourceGroup(serviceSubscriptionId, serviceGroupName)
  params: {
    serviceName: apiManagement == 'new' ? newApiManagement!.outputs.name : last(serviceIdParts)
  }
}

module secretReader 'modules/vault-reader.bicep' = if (sendsApiManagementSecret) {
  name: 'secret-reader'
  scope: group
  params: {
    vaultName: keyVault.outputs.name
    principalId: serviceIdentity!.outputs.principalId
  }
}

module gatewayApi 'modules/gateway-api.bicep' = if (hasApiManagement) {
  name: 'gateway-api-${environmentName}'
  scope: resourceGroup(serviceSubscriptionId, serviceGroupName)
  // The service reads the secret while the API is being made.
  dependsOn: [secretReader]
  params: {
    serviceName: apiManagement == 'new' ? newApiManagement!.outputs.name : last(serviceIdParts)
    apiName: 'vmr-gateway-${environmentName}'
    path: apiPath
    backendHostName: functionApp.outputs.hostName
    tenantId: authTenantId
    audiences: authAudiences
    clientIds: authClientIds
    widgetOrigins: widgetOrigins
    secretUri: sendsApiManagementSecret ? '${keyVault.outputs.uri}secrets/API-MANAGEMENT-SECRET' : ''
    callsPerMinutePerClient: callsPerMinutePerClient
    callsPerMinutePerAddress: callsPerMinutePerAddress
    eventsPerMinutePerAddress: eventsPerMinutePerAddress
  }
}

var rootUrl = hasApiManagement ? gatewayApi!.outputs.rootUrl : 'https://${functionApp.outputs.hostName}'
var healthUrl = '${rootUrl}/public/health'

module alerting 'modules/alerting.bicep' = if (alerts) {
  name: 'alerting'
  scope: group
  params: {
    location: location
    tags: tags
    appName: appName
    workspaceId: monitoring.outputs.workspaceId
    insightsId: monitoring.outputs.insightsId
    healthUrl: healthUrl
    urgentEmails: urgentEmails
    urgentPhones: urgentPhones
    urgentWebhooks: urgentWebhooks
    routineEmails: routineEmails
    limits: alertLimits
  }
}

module workbook 'modules/workbook.bicep' = {
  name: 'workbook'
  scope: group
  params: {
    location: location
    tags: tags
    appName: appName
    workspaceId: monitoring.outputs.workspaceId
  }
}

module costs 'modules/budget.bicep' = if (monthlyBudget.amount > 0) {
  name: 'budget'
  scope: group
  params: {
    name: 'budget-vmr-${environmentName}'
    amount: monthlyBudget.amount
    firstMonth: monthlyBudget.firstMonth
    emailAddresses: routineEmails
  }
}

module protection 'modules/deletion-lock.bicep' = if (isProduction) {
  name: 'deletion-lock'
  scope: group
}

output AZURE_RESOURCE_GROUP string = group.name
output FUNCTION_APP_NAME string = functionApp.outputs.name
output KEY_VAULT_NAME string = keyVault.outputs.name
output HEALTH_URL string = healthUrl
// For the platform's allow-list; empty when the app's calls leave from any of the region's addresses.
output OUTBOUND_ADDRESS string = fixedOutboundAddress ? outboundAddress!.outputs.ipAddress : ''
