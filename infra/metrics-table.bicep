// The table with one row per run of the metrics timer, in the workspace's own resource group.
param workspaceName string
param retentionDays int
param archiveDays int

// The columns of src/lib/metrics/measurement.ts. The data collection rule adds two that name a row's source.
var columns = [
  { name: 'TimeGenerated', type: 'datetime' }
  { name: 'RunId', type: 'string' }
  { name: 'InstanceId', type: 'string' }
  { name: 'Version', type: 'string' }
  { name: 'PlatformConnected', type: 'boolean' }
  { name: 'PoolDepth', type: 'int' }
  { name: 'DeletionDepth', type: 'int' }
  { name: 'DeletionOldestSeconds', type: 'int' }
  { name: 'ProvisioningDepth', type: 'int' }
  { name: 'PoisonDepth', type: 'int' }
  { name: 'AvailableRooms', type: 'int' }
  { name: 'InUseRooms', type: 'int' }
  { name: 'OutdatedRooms', type: 'int' }
  { name: 'UnaccountedRooms', type: 'int' }
  { name: 'LiveConferences', type: 'int' }
  { name: 'AlarmCount', type: 'int' }
  { name: 'AlarmLevel', type: 'string' }
  { name: 'AlarmNames', type: 'string' }
  { name: 'MaximumRooms', type: 'int' }
  { name: 'PoolMinimum', type: 'int' }
]

resource workspace 'Microsoft.OperationalInsights/workspaces@2023-09-01' existing = {
  name: workspaceName
}

resource table 'Microsoft.OperationalInsights/workspaces/tables@2023-09-01' = {
  parent: workspace
  name: 'VmrGatewayMetrics_CL'
  properties: {
    plan: 'Analytics'
    retentionInDays: retentionDays
    totalRetentionInDays: max(retentionDays, archiveDays)
    schema: {
      name: 'VmrGatewayMetrics_CL'
      // The workspace capitalizes only this type; the rule does not.
      columns: map(concat(columns, [{ name: 'App', type: 'string' }, { name: 'Environment', type: 'string' }]), column => { name: column.name, type: column.type == 'datetime' ? 'dateTime' : column.type })
    }
  }
}

output columns array = columns
