// The gateway's API in an API Management service: imported from openapi.json, with one policy for each kind of operation.
param serviceName string
param apiName string
param path string
param backendHostName string
param tenantId string
param audiences array
param clientIds array
param widgetOrigins array
// Where the secret that the app asks for is in the vault; empty when it asks for none.
param secretUri string
param callsPerMinutePerClient int
param callsPerMinutePerAddress int
param eventsPerMinutePerAddress int

// API Management names an imported operation by its operationId, with dashes for underscores.
var privateOperations = [
  'create-room-from-queue'
  'create-room'
  'list-rooms'
  'get-room'
  'update-room'
  'delete-room'
  'bulk-create-rooms'
  'bulk-delete-rooms'
]

// The platform stops its whole event sink when calls keep failing, so its limit is far higher.
var publicOperations = [
  { name: 'get-public-room', callsPerMinute: callsPerMinutePerAddress, maximumBodyBytes: 1048576 }
  { name: 'event-sink', callsPerMinute: eventsPerMinutePerAddress, maximumBodyBytes: 16777216 }
  { name: 'health-check', callsPerMinute: callsPerMinutePerAddress, maximumBodyBytes: 1048576 }
  { name: 'health-check-head', callsPerMinute: callsPerMinutePerAddress, maximumBodyBytes: 1048576 }
]

var privatePolicy = loadTextContent('../policies/private-operation.xml')
var publicPolicy = loadTextContent('../policies/public-operation.xml')

// A caller's own header of that name never reaches the app.
var secretName = '${apiName}-secret'
var secretHeader = empty(secretUri)
  ? '<set-header name="x-api-management-secret" exists-action="delete" />'
  : '<set-header name="x-api-management-secret" exists-action="override"><value>{{${secretName}}}</value></set-header>'

var privateWithIds = replace(replace(replace(privatePolicy,
  '__tenantId__', tenantId),
  '__audiences__', '<audience>${join(audiences, '</audience><audience>')}</audience>'),
  '__clientIds__', '<application-id>${join(clientIds, '</application-id><application-id>')}</application-id>')

var publicWithOrigins = replace(publicPolicy,
  '__origins__', '<origin>${join(widgetOrigins, '</origin><origin>')}</origin>')

resource service 'Microsoft.ApiManagement/service@2024-05-01' existing = {
  name: serviceName
}

resource api 'Microsoft.ApiManagement/service/apis@2024-05-01' = {
  parent: service
  name: apiName
  properties: {
    displayName: 'VMR gateway (${apiName})'
    path: path
    protocols: ['https']
    format: 'openapi+json'
    value: loadTextContent('../../openapi.json')
    serviceUrl: 'https://${backendHostName}'
    // Callers are told apart by their tokens; a subscription key would be one more shared key.
    subscriptionRequired: false
  }
}

// The document describes HEAD together with GET; API Management would not know it without an operation of its own.
resource healthHead 'Microsoft.ApiManagement/service/apis/operations@2024-05-01' = {
  parent: api
  name: 'health-check-head'
  properties: {
    displayName: 'Check health (HEAD)'
    method: 'HEAD'
    urlTemplate: '/public/health'
  }
}

// The service's log has the address of each call; uuiData in it leads to one person's session.
var withoutServiceTags = {
  request: {
    dataMasking: {
      queryParams: [{ value: 'uuiData', mode: 'Hide' }]
    }
  }
}

resource logger 'Microsoft.ApiManagement/service/loggers@2024-05-01' = {
  parent: service
  name: 'azuremonitor'
  properties: { loggerType: 'azureMonitor' }
}

resource logging 'Microsoft.ApiManagement/service/apis/diagnostics@2024-05-01' = {
  parent: api
  name: 'azuremonitor'
  properties: {
    loggerId: logger.id
    logClientIp: true
    sampling: {
      samplingType: 'fixed'
      percentage: 100
    }
    frontend: withoutServiceTags
    backend: withoutServiceTags
  }
}

// Kept up to date by the service itself, which reads the newest version every four hours.
resource secret 'Microsoft.ApiManagement/service/namedValues@2024-05-01' = if (!empty(secretUri)) {
  parent: service
  name: secretName
  properties: {
    displayName: secretName
    secret: true
    keyVault: { secretIdentifier: secretUri }
  }
}

resource apiPolicy 'Microsoft.ApiManagement/service/apis/policies@2024-05-01' = {
  parent: api
  name: 'policy'
  properties: {
    format: 'xml'
    value: replace(loadTextContent('../policies/all-operations.xml'), '__secretHeader__', secretHeader)
  }
  dependsOn: [secret]
}

resource privateOperation 'Microsoft.ApiManagement/service/apis/operations@2024-05-01' existing = [for name in privateOperations: {
  parent: api
  name: name
}]

// One after the other: policies of one API that are written at once refuse each other.
@batchSize(1)
resource privateOperationPolicy 'Microsoft.ApiManagement/service/apis/operations/policies@2024-05-01' = [for (name, index) in privateOperations: {
  parent: privateOperation[index]
  name: 'policy'
  properties: {
    format: 'xml'
    value: replace(privateWithIds, '__callsPerMinute__', string(callsPerMinutePerClient))
  }
  dependsOn: [apiPolicy]
}]

resource publicOperation 'Microsoft.ApiManagement/service/apis/operations@2024-05-01' existing = [for operation in publicOperations: {
  parent: api
  name: operation.name
}]

@batchSize(1)
resource publicOperationPolicy 'Microsoft.ApiManagement/service/apis/operations/policies@2024-05-01' = [for (operation, index) in publicOperations: {
  parent: publicOperation[index]
  name: 'policy'
  properties: {
    format: 'xml'
    value: replace(replace(publicWithOrigins,
      '__callsPerMinute__', string(operation.callsPerMinute)),
      '__maximumBodyBytes__', string(operation.maximumBodyBytes))
  }
  dependsOn: [privateOperationPolicy, healthHead]
}]

output rootUrl string = empty(path) ? service.properties.gatewayUrl : '${service.properties.gatewayUrl}/${path}'
