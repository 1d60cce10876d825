// A Log Analytics workspace for logs, telemetry and the metrics table, readable with Entra ID only.
param name string
param location string
param tags object
param retentionDays int

resource workspace 'Microsoft.OperationalInsights/workspaces@2023-09-01' = {
  name: name
  location: location
  tags: tags
  properties: {
    sku: { name: 'PerGB2018' }
    retentionInDays: retentionDays
    features: {
      // Without local authentication the workspace's shared key writes nothing.
      disableLocalAuth: true
      enableLogAccessUsingOnlyResourcePermissions: true
    }
  }
}

output id string = workspace.id
