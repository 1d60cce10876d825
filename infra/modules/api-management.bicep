// The API Management service, for deployments that do not bring one of their own.
param name string
param location string
param tags object
param skuName string
param publisherName string
param publisherEmail string
param subnetId string
param workspaceId string
// With a host name of its own the service reads its certificate from the vault as this identity.
param hostName string
param certificateUri string
param identityId string
param identityClientId string

resource service 'Microsoft.ApiManagement/service@2024-05-01' = {
  name: name
  location: location
  tags: tags
  sku: {
    name: skuName
    capacity: 1
  }
  // Its own identity reads the secret that the app asks for.
  identity: {
    type: empty(hostName) ? 'SystemAssigned' : 'SystemAssigned, UserAssigned'
    userAssignedIdentities: empty(hostName) ? null : { '${identityId}': {} }
  }
  properties: {
    publisherName: publisherName
    publisherEmail: publisherEmail
    // External: callers come from the internet, calls to the app leave through the subnet.
    virtualNetworkType: empty(subnetId) ? 'None' : 'External'
    virtualNetworkConfiguration: empty(subnetId) ? null : { subnetResourceId: subnetId }
    hostnameConfigurations: empty(hostName) ? null : [
      {
        type: 'Proxy'
        hostName: hostName
        certificateSource: 'KeyVault'
        keyVaultId: certificateUri
        identityClientId: identityClientId
        defaultSslBinding: true
      }
    ]
  }
}

// One line a call, with the status that the caller saw: what the app never got to see is found here.
resource gatewayLogs 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = {
  name: 'gateway-logs'
  scope: service
  properties: {
    workspaceId: workspaceId
    logAnalyticsDestinationType: 'Dedicated'
    logs: [
      {
        category: 'GatewayLogs'
        enabled: true
      }
    ]
  }
}

output name string = service.name
