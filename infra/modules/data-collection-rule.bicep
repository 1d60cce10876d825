// The data collection rule that takes metrics rows straight from the app into the workspace's table.
param name string
param location string
param tags object
param workspaceId string
param streamName string
param columns array
param writerPrincipalId string

// Monitoring Metrics Publisher
var publisherRoleId = '3913510d-42f4-4e42-8a64-420c390055eb'

resource rule 'Microsoft.Insights/dataCollectionRules@2023-03-11' = {
  name: name
  location: location
  tags: tags
  // A rule of this kind has an ingestion endpoint of its own, so no data collection endpoint is needed.
  kind: 'Direct'
  properties: {
    streamDeclarations: {
      '${streamName}': { columns: columns }
    }
    destinations: {
      logAnalytics: [
        {
          name: 'workspace'
          workspaceResourceId: workspaceId
        }
      ]
    }
    dataFlows: [
      {
        streams: [streamName]
        destinations: ['workspace']
        transformKql: 'source'
        outputStream: streamName
      }
    ]
  }
}

// The app uploads a row on each metrics run; this role lets it send to this one rule and read nothing.
resource mayUpload 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(rule.id, writerPrincipalId, publisherRoleId)
  scope: rule
  properties: {
    principalId: writerPrincipalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', publisherRoleId)
  }
}

output immutableId string = rule.properties.immutableId
output ingestionEndpoint string = rule.properties.endpoints.logsIngestion
