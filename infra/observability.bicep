// Monitoring: log workspace, metrics rows, workbook and alerts.
@export()
@sealed()
type loggingOptions = {
  existingWorkspaceId: string
  @minValue(30)
  @maxValue(730)
  retentionDays: int
  archiveDays: int
  @description('0 for no cap.')
  dailyCapGb: int
}

@export()
@sealed()
type alertOptions = {
  areOn: bool
  urgentEmails: string[]
  urgentPhones: string[]
  urgentWebhooks: string[]
  routineEmails: string[]
  @description('IDs of regions. The alert counts on three.')
  @minLength(3)
  @maxLength(3)
  testRegions: string[]
  @description('Replaces properties of `limits` below, by alert.')
  limits: object
}

param appName string
param environmentName string
param location string
param tags object
param logging loggingOptions
param alerts alertOptions
@description('Whether API Management logs its calls to this workspace.')
param hasApiManagementLogs bool
param appPrincipalId string
param healthUrl string

// Monitoring Metrics Publisher
var publisherRoleId = '3913510d-42f4-4e42-8a64-420c390055eb'
// /subscriptions/<2>/resourceGroups/<4>/providers/<type>/<8>
var existing = split(logging.existingWorkspaceId, '/')
var makesWorkspace = empty(logging.existingWorkspaceId)
var workspaceName = makesWorkspace ? 'log-vmr-${environmentName}' : existing[8]
var workspaceId = makesWorkspace ? workspace.id : logging.existingWorkspaceId

resource workspace 'Microsoft.OperationalInsights/workspaces@2023-09-01' = if (makesWorkspace) {
  name: 'log-vmr-${environmentName}'
  location: location
  tags: tags
  properties: {
    sku: { name: 'PerGB2018' }
    retentionInDays: logging.retentionDays
    // -1 is no cap.
    workspaceCapping: { dailyQuotaGb: logging.dailyCapGb == 0 ? -1 : logging.dailyCapGb }
    features: {
      disableLocalAuth: true
      enableLogAccessUsingOnlyResourcePermissions: true
    }
  }
}

// The app's logs are kept longer than other tables, at the lower price of the archive.
resource archivedTables 'Microsoft.OperationalInsights/workspaces/tables@2023-09-01' = [for table in ['AppTraces', 'AppRequests', 'AppExceptions']: if (makesWorkspace) {
  parent: workspace
  name: table
  properties: {
    retentionInDays: logging.retentionDays
    totalRetentionInDays: max(logging.retentionDays, logging.archiveDays)
  }
}]

module metricsTable 'metrics-table.bicep' = {
  // In an existing workspace's group, other gateways have deployments too.
  name: 'vmr-gateway-${environmentName}-metrics-table'
  scope: resourceGroup(makesWorkspace ? subscription().subscriptionId : existing[2], makesWorkspace ? resourceGroup().name : existing[4])
  dependsOn: [workspace]
  params: {
    workspaceName: workspaceName
    retentionDays: logging.retentionDays
    archiveDays: logging.archiveDays
  }
}

var stream = 'Custom-VmrGatewayMetrics_CL'

// Receives metrics rows from the app. A rule of this kind has an ingestion endpoint of its own.
resource rule 'Microsoft.Insights/dataCollectionRules@2023-03-11' = {
  name: 'dcr-vmr-${environmentName}'
  location: location
  tags: tags
  kind: 'Direct'
  properties: {
    streamDeclarations: { '${stream}': { columns: metricsTable.outputs.columns } }
    destinations: { logAnalytics: [{ name: 'workspace', workspaceResourceId: workspaceId }] }
    dataFlows: [
      {
        streams: [stream]
        destinations: ['workspace']
        // A workspace may hold the rows of several gateways.
        transformKql: 'source | extend App = "${appName}", Environment = "${environmentName}"'
        outputStream: stream
      }
    ]
  }
}

// The only copy of the host's and the app's lines: the diagnostic category FunctionAppLogs would store them again.
resource insights 'Microsoft.Insights/components@2020-02-02' = {
  name: 'appi-vmr-${environmentName}'
  location: location
  tags: tags
  kind: 'web'
  properties: {
    Application_Type: 'web'
    WorkspaceResourceId: workspaceId
    // Writing telemetry requires Entra ID, not just the connection string.
    DisableLocalAuth: true
  }
}

resource mayUploadRows 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(rule.id, appPrincipalId, publisherRoleId)
  scope: rule
  properties: {
    principalId: appPrincipalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', publisherRoleId)
  }
}

resource mayPublish 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(insights.id, appPrincipalId, publisherRoleId)
  scope: insights
  properties: {
    principalId: appPrincipalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', publisherRoleId)
  }
}

resource workbook 'Microsoft.Insights/workbooks@2022-04-01' = {
  // The service requires a GUID as the name.
  name: guid(resourceGroup().id, appName, 'workbook')
  location: location
  tags: tags
  kind: 'shared'
  properties: {
    displayName: 'VMR gateway ${appName}'
    category: 'workbook'
    sourceId: workspaceId
    serializedData: replace(replace(loadTextContent('workbook/workbook.json'), '__workspaceId__', workspaceId), '__app__', appName)
  }
}

resource urgent 'Microsoft.Insights/actionGroups@2023-01-01' = if (alerts.areOn) {
  name: 'ag-vmr-${environmentName}-urgent'
  location: 'global'
  tags: tags
  properties: {
    groupShortName: 'vmr-urgent'
    enabled: true
    emailReceivers: [for (email, index) in alerts.urgentEmails: {
      name: 'email-${index}'
      emailAddress: email
      useCommonAlertSchema: true
    }]
    smsReceivers: [for (phone, index) in alerts.urgentPhones: {
      name: 'phone-${index}'
      countryCode: split(phone, '-')[0]
      phoneNumber: split(phone, '-')[1]
    }]
    webhookReceivers: [for (url, index) in alerts.urgentWebhooks: {
      name: 'webhook-${index}'
      serviceUri: url
      useCommonAlertSchema: true
    }]
  }
}

resource routine 'Microsoft.Insights/actionGroups@2023-01-01' = if (alerts.areOn) {
  name: 'ag-vmr-${environmentName}-routine'
  location: 'global'
  tags: tags
  properties: {
    groupShortName: 'vmr-routine'
    enabled: true
    emailReceivers: [for (email, index) in alerts.routineEmails: {
      name: 'email-${index}'
      emailAddress: email
      useCommonAlertSchema: true
    }]
  }
}

// An alert fires if its query finds at least `count` rows in the window. `limit` is the limit of a column. Severity 1 wakes
// people, because callers are turned away or monitoring has stopped. One more alert, secret-expiring, is in data.bicep.
var queries = {
  'callers-refused': loadTextContent('alerts/callers-refused.kql')
  'health-check-failing': loadTextContent('alerts/health-check-failing.kql')
  'creates-failing': loadTextContent('alerts/creates-failing.kql')
  'pool-empty-on-claim': loadTextContent('alerts/pool-empty-on-claim.kql')
  'platform-unreachable': loadTextContent('alerts/platform-unreachable.kql')
  'event-sink-silent': loadTextContent('alerts/event-sink-silent.kql')
  'deletion-queue-old': loadTextContent('alerts/deletion-queue-old.kql')
  'timers-not-running': loadTextContent('alerts/timers-not-running.kql')
  'provisioning-failing': loadTextContent('alerts/provisioning-failing.kql')
  'poison-messages': loadTextContent('alerts/poison-messages.kql')
  'platform-alarms': loadTextContent('alerts/platform-alarms.kql')
  'signing-keys-stale': loadTextContent('alerts/signing-keys-stale.kql')
  'server-errors': hasApiManagementLogs ? loadTextContent('alerts/server-errors.kql') : loadTextContent('alerts/server-errors-of-app.kql')
}
var limits = union({
  'callers-refused': { count: 1, window: 'PT1H', severity: 2 }
  'health-check-failing': { count: 6, window: 'PT15M', severity: 1 }
  'creates-failing': { count: 5, window: 'PT15M', severity: 1, limit: 2 }
  'pool-empty-on-claim': { count: 5, window: 'PT30M', severity: 1, limit: 10 }
  'platform-unreachable': { count: 2, window: 'PT15M', severity: 1 }
  'event-sink-silent': { count: 1, window: 'PT2H', severity: 1, limit: 20 }
  'deletion-queue-old': { count: 1, window: 'PT30M', severity: 2, limit: 3600 }
  'timers-not-running': { count: 1, window: 'P2D', severity: 1, limit: 30 }
  'provisioning-failing': { count: 5, window: 'PT30M', severity: 2 }
  'poison-messages': { count: 1, window: 'PT30M', severity: 2 }
  'platform-alarms': { count: 1, window: 'PT30M', severity: 2 }
  'signing-keys-stale': { count: 1, window: 'PT1H', severity: 2 }
  'server-errors': { count: 5, window: 'PT15M', severity: 1, limit: 2 }
}, alerts.limits)

resource rules 'Microsoft.Insights/scheduledQueryRules@2022-06-15' = [for query in items(queries): if (alerts.areOn) {
  name: '${appName}-${query.key}'
  location: location
  tags: tags
  kind: 'LogAlert'
  properties: {
    displayName: '${query.key} (${environmentName})'
    description: 'Runbook: section ${query.key} in docs/operations.md'
    severity: limits[query.key].severity
    enabled: true
    scopes: [workspaceId]
    evaluationFrequency: 'PT5M'
    windowSize: limits[query.key].window
    autoMitigate: true
    // Azure creates a telemetry table with its first row, after this deployment.
    skipQueryValidation: true
    criteria: {
      allOf: [
        {
          query: replace(replace(replace(query.value, '__app__', appName), '__environment__', environmentName), '__limit__', string(limits[query.key].?limit ?? 0))
          timeAggregation: 'Count'
          operator: 'GreaterThanOrEqual'
          threshold: limits[query.key].count
          failingPeriods: { numberOfEvaluationPeriods: 1, minFailingPeriodsToAlert: 1 }
        }
      ]
    }
    actions: { actionGroups: [limits[query.key].severity < 2 ? urgent.id : routine.id] }
  }
}]

resource availabilityTest 'Microsoft.Insights/webtests@2022-06-15' = if (alerts.areOn) {
  name: '${appName}-health'
  location: location
  // The portal finds the component of a test by this tag.
  tags: union(tags, { 'hidden-link:${insights.id}': 'Resource' })
  kind: 'standard'
  properties: {
    Name: '${appName}-health'
    SyntheticMonitorId: '${appName}-health'
    Kind: 'standard'
    Enabled: true
    Frequency: 300
    Timeout: 30
    RetryEnabled: true
    Locations: [for place in alerts.testRegions: { Id: place }]
    Request: { HttpVerb: 'GET', RequestUrl: healthUrl }
    ValidationRules: {
      ExpectedHttpStatusCode: 200
      SSLCheck: true
      SSLCertRemainingLifetimeCheck: 14
    }
  }
}

output alertLimits object = mapValues(limits, rule => rule.?limit ?? 0)
output workspaceId string = workspaceId
output routineGroupId string = alerts.areOn ? routine.id : ''
output insightsConnectionString string = insights.properties.ConnectionString
output ingestion object = { endpoint: rule.properties.endpoints.logsIngestion, ruleId: rule.properties.immutableId, stream: stream }
