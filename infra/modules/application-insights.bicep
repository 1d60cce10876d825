// Application Insights for the app's telemetry, kept in the workspace and written with Entra ID only.
param name string
param location string
param tags object
param workspaceId string
param writerPrincipalId string

// Monitoring Metrics Publisher
var publisherRoleId = '3913510d-42f4-4e42-8a64-420c390055eb'

resource insights 'Microsoft.Insights/components@2020-02-02' = {
  name: name
  location: location
  tags: tags
  kind: 'web'
  properties: {
    Application_Type: 'web'
    WorkspaceResourceId: workspaceId
    // The connection string alone must not be enough to write telemetry.
    DisableLocalAuth: true
  }
}

// The host sends requests, traces and exceptions; this role lets it write to this one component.
resource mayPublish 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(insights.id, writerPrincipalId, publisherRoleId)
  scope: insights
  properties: {
    principalId: writerPrincipalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', publisherRoleId)
  }
}

output id string = insights.id
output connectionString string = insights.properties.ConnectionString
