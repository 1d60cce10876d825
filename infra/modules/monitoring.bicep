// Where telemetry and metrics go: the workspace, unless one is given, its metrics table, and the two ways into it.
param suffix string
param location string
param tags object
param existingWorkspaceId string
param workspaceSubscriptionId string
param workspaceGroupName string
param retentionDays int
param dailyLogCapGb int
param appPrincipalId string

module newWorkspace 'workspace.bicep' = if (empty(existingWorkspaceId)) {
  name: 'workspace'
  params: {
    name: 'log-${suffix}'
    location: location
    tags: tags
    retentionDays: retentionDays
    dailyLogCapGb: dailyLogCapGb
  }
}

var workspaceId = empty(existingWorkspaceId) ? newWorkspace!.outputs.id : existingWorkspaceId

module metricsTable 'metrics-table.bicep' = {
  name: 'metrics-table-${suffix}'
  // An existing workspace may stand in another resource group.
  scope: resourceGroup(workspaceSubscriptionId, workspaceGroupName)
  params: {
    workspaceName: last(split(workspaceId, '/'))
    retentionDays: retentionDays
  }
}

module dataCollectionRule 'data-collection-rule.bicep' = {
  name: 'data-collection-rule'
  params: {
    name: 'dcr-${suffix}'
    location: location
    tags: tags
    workspaceId: workspaceId
    streamName: metricsTable.outputs.streamName
    columns: metricsTable.outputs.columns
    writerPrincipalId: appPrincipalId
  }
}

module applicationInsights 'application-insights.bicep' = {
  name: 'application-insights'
  params: {
    name: 'appi-${suffix}'
    location: location
    tags: tags
    workspaceId: workspaceId
    writerPrincipalId: appPrincipalId
  }
}

output workspaceId string = workspaceId
output insightsId string = applicationInsights.outputs.id
output insightsConnectionString string = applicationInsights.outputs.connectionString
output ingestionEndpoint string = dataCollectionRule.outputs.ingestionEndpoint
output ingestionRuleId string = dataCollectionRule.outputs.immutableId
output ingestionStream string = metricsTable.outputs.streamName
