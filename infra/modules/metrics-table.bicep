// The custom table that takes one row for each run of the metrics collector.
param workspaceName string
param retentionDays int

var tableName = 'VmrGatewayMetrics_CL'

// The one list of columns in the infrastructure: the table and the data collection rule are made from it.
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

resource table 'Microsoft.OperationalInsights/workspaces/tables@2022-10-01' = {
  parent: workspace
  name: tableName
  properties: {
    plan: 'Analytics'
    retentionInDays: retentionDays
    schema: {
      name: tableName
      // The workspace writes this one type name with a capital, the rule does not.
      columns: [for column in columns: {
        name: column.name
        type: column.type == 'datetime' ? 'dateTime' : column.type
      }]
    }
  }
}

output streamName string = 'Custom-${table.name}'
output columns array = columns
