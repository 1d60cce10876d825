// The function app: Node 24 on Flex Consumption, run as a user-assigned identity, reached by name and password nowhere.
param name string
param location string
param tags object
param planId string
param identityId string
param packageContainerUri string
param instanceMemoryMb int
param maximumInstanceCount int
param httpConcurrency int
param alwaysReadyHttpInstances int
param publicNetworkAccess string
param subnetId string
// Origins whose pages may call the app itself; none when API Management is in front.
param browserOrigins array
param workspaceId string

resource app 'Microsoft.Web/sites@2024-04-01' = {
  name: name
  location: location
  // azd finds the app of a service by this tag.
  tags: union(tags, { 'azd-service-name': 'app' })
  kind: 'functionapp,linux'
  identity: {
    type: 'UserAssigned'
    userAssignedIdentities: {
      '${identityId}': {}
    }
  }
  properties: {
    serverFarmId: planId
    httpsOnly: true
    publicNetworkAccess: publicNetworkAccess
    keyVaultReferenceIdentity: identityId
    virtualNetworkSubnetId: empty(subnetId) ? null : subnetId
    siteConfig: {
      minTlsVersion: '1.2'
      ftpsState: 'Disabled'
      cors: empty(browserOrigins) ? null : { allowedOrigins: browserOrigins }
    }
    functionAppConfig: {
      deployment: {
        storage: {
          type: 'blobContainer'
          value: packageContainerUri
          authentication: {
            type: 'UserAssignedIdentity'
            userAssignedIdentityResourceId: identityId
          }
        }
      }
      runtime: {
        name: 'node'
        version: '24'
      }
      scaleAndConcurrency: {
        instanceMemoryMB: instanceMemoryMb
        maximumInstanceCount: maximumInstanceCount
        alwaysReady: alwaysReadyHttpInstances == 0 ? [] : [
          {
            name: 'http'
            instanceCount: alwaysReadyHttpInstances
          }
        ]
        triggers: {
          http: { perInstanceConcurrency: httpConcurrency }
        }
      }
    }
  }
}

// Publishing passwords are shared keys by another name; deployments log in with Entra ID.
resource publishingPasswords 'Microsoft.Web/sites/basicPublishingCredentialsPolicies@2024-04-01' = [for channel in ['ftp', 'scm']: {
  parent: app
  name: channel
  properties: { allow: false }
}]

// The host's own lines: an app that refuses its settings runs no function and is silent elsewhere.
resource hostLogs 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = {
  name: 'host-logs'
  scope: app
  properties: {
    workspaceId: workspaceId
    logs: [{ category: 'FunctionAppLogs', enabled: true }]
  }
}

output id string = app.id
output name string = app.name
output hostName string = app.properties.defaultHostName
