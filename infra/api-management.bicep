// The gateway's API in API Management: the service if there is none yet, the API from openapi.json, and one policy per operation.
@export()
@sealed()
type apiManagementOptions = {
  mode: 'none' | 'new' | 'existing'
  existingId: string
  publisherEmail: string
  path: string
  publicUrl: string
  @minLength(1)
  widgetOrigins: string[]
  callsPerMinutePerClient: int
  callsPerMinutePerAddress: int
  eventsPerMinutePerAddress: int
}

param serviceName string
param makesService bool
param location string
param tags object
param options apiManagementOptions
@description('Empty if the app is reached over the internet.')
param subnetId string
param workspaceId string
param apiName string
param appHostName string
param tenantId string
param audiences array
param clientIds array

// API Management names an imported operation by its operationId, with dashes for underscores.
var documented = loadJsonContent('../openapi.json', '$.paths.*.*')
var privateOperations = map(filter(documented, operation => contains(operation.tags, 'private')),
  operation => replace(operation.operationId, '_', '-'))
var publicOperations = concat(map(filter(documented, operation => contains(operation.tags, 'public')),
  operation => replace(operation.operationId, '_', '-')), ['health-check-head'])

var privatePolicy = replace(replace(replace(replace(replace(loadTextContent('policies/private-operation.xml'),
  '__tenantId__', tenantId),
  '__audiences__', '<audience>${join(audiences, '</audience><audience>')}</audience>'),
  '__clientIds__', '<application-id>${join(clientIds, '</application-id><application-id>')}</application-id>'),
  '__callsPerMinute__', string(options.callsPerMinutePerClient)),
  // Clients share addresses, so this is much more.
  '__callsPerMinutePerAddress__', string(10 * options.callsPerMinutePerAddress))
var cors = replace(loadTextContent('policies/cors.xml'),
  '__origins__', '<origin>${join(options.widgetOrigins, '</origin><origin>')}</origin>')

resource newService 'Microsoft.ApiManagement/service@2024-05-01' = if (makesService) {
  name: serviceName
  location: location
  tags: tags
  sku: {
    // The smallest that reach the internet, and a private network.
    name: empty(subnetId) ? 'BasicV2' : 'StandardV2'
    capacity: 1
  }
  properties: {
    publisherName: 'VMR gateway'
    publisherEmail: options.publisherEmail
    // External: callers come from the internet, calls to the app leave through the subnet.
    virtualNetworkType: empty(subnetId) ? 'None' : 'External'
    virtualNetworkConfiguration: empty(subnetId) ? null : { subnetResourceId: subnetId }
  }
}

// Logs one line per call, with the status that the caller received. The owner of an existing service configures its log.
resource gatewayLogs 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = if (makesService) {
  name: 'gateway-logs'
  scope: newService
  properties: {
    workspaceId: workspaceId
    logAnalyticsDestinationType: 'Dedicated'
    logs: [{ category: 'GatewayLogs', enabled: true }]
  }
}

resource service 'Microsoft.ApiManagement/service@2024-05-01' existing = {
  name: serviceName
}

resource api 'Microsoft.ApiManagement/service/apis@2024-05-01' = {
  parent: service
  name: apiName
  dependsOn: [newService]
  properties: {
    displayName: 'VMR gateway (${apiName})'
    path: options.path
    protocols: ['https']
    format: 'openapi+json'
    value: loadTextContent('../openapi.json')
    serviceUrl: 'https://${appHostName}'
    // Tokens identify the callers. A subscription key would be one more shared key.
    subscriptionRequired: false
  }
}

// Everything below an API is written one after another, because API Management refuses concurrent writes to it:
// the operation HEAD, the log, the policy of all operations, then those of each operation.

// openapi.json documents HEAD as part of GET, so an import removes this operation until it is created again.
resource healthHead 'Microsoft.ApiManagement/service/apis/operations@2024-05-01' = {
  parent: api
  name: 'health-check-head'
  properties: {
    displayName: 'Check health (HEAD)'
    method: 'HEAD'
    urlTemplate: '/public/health'
  }
}

// The service logs the URL of each call, in which uuiData identifies a person's session.
var withoutServiceTags = { request: { dataMasking: { queryParams: [{ value: 'uuiData', mode: 'Hide' }] } } }

resource logger 'Microsoft.ApiManagement/service/loggers@2024-05-01' = {
  parent: service
  name: 'azuremonitor'
  dependsOn: [newService]
  properties: { loggerType: 'azureMonitor' }
}

resource logging 'Microsoft.ApiManagement/service/apis/diagnostics@2024-05-01' = {
  parent: api
  name: 'azuremonitor'
  dependsOn: [healthHead]
  properties: {
    loggerId: logger.id
    logClientIp: true
    sampling: { samplingType: 'fixed', percentage: 100 }
    frontend: withoutServiceTags
    backend: withoutServiceTags
  }
}

resource apiPolicy 'Microsoft.ApiManagement/service/apis/policies@2024-05-01' = {
  parent: api
  name: 'policy'
  dependsOn: [logging]
  properties: {
    format: 'xml'
    value: loadTextContent('policies/all-operations.xml')
  }
}

resource privateOperation 'Microsoft.ApiManagement/service/apis/operations@2024-05-01' existing = [for name in privateOperations: {
  parent: api
  name: name
}]

@batchSize(1)
resource privateOperationPolicy 'Microsoft.ApiManagement/service/apis/operations/policies@2024-05-01' = [for (name, index) in privateOperations: {
  parent: privateOperation[index]
  name: 'policy'
  dependsOn: [apiPolicy]
  properties: {
    format: 'xml'
    value: privatePolicy
  }
}]

resource publicOperation 'Microsoft.ApiManagement/service/apis/operations@2024-05-01' existing = [for name in publicOperations: {
  parent: api
  name: name
}]

// The platform's nodes, not pages, call the event sink. It stops if its calls keep failing, so its limit is far higher.
@batchSize(1)
resource publicOperationPolicy 'Microsoft.ApiManagement/service/apis/operations/policies@2024-05-01' = [for (name, index) in publicOperations: {
  parent: publicOperation[index]
  name: 'policy'
  dependsOn: [privateOperationPolicy]
  properties: {
    format: 'xml'
    value: replace(replace(replace(loadTextContent('policies/public-operation.xml'),
      '__cors__', name == 'event-sink' ? '' : cors),
      '__callsPerMinute__', string(name == 'event-sink' ? options.eventsPerMinutePerAddress : options.callsPerMinutePerAddress)),
      '__maxBodyBytes__', name == 'event-sink' ? '1048576' : '65536')
  }
}]
