// A Log Analytics workspace for logs, telemetry and the metrics table, readable with Entra ID only.
param name string
param location string
param tags object
param retentionDays int
param dailyLogCapGb int

resource workspace 'Microsoft.OperationalInsights/workspaces@2023-09-01' = {
  name: name
  location: location
  tags: tags
  properties: {
    sku: { name: 'PerGB2018' }
    retentionInDays: retentionDays
    // -1 is no cap.
    workspaceCapping: { dailyQuotaGb: dailyLogCapGb == 0 ? -1 : dailyLogCapGb }
    features: {
      // Without local authentication the workspace's shared key writes nothing.
      disableLocalAuth: true
      enableLogAccessUsingOnlyResourcePermissions: true
    }
  }
}

output id string = workspace.id
