// The alert rules: one log query each, with the threshold, window and severity that decide when it fires.
param location string
param tags object
param appName string
param workspaceId string
param urgentGroupId string
param routineGroupId string
param limits object

// Severity 0 and 1 go to the urgent group, which wakes people: callers are being turned away or nobody is watching.
var defaultLimits = {
  'pool-low': { threshold: 20, windowMinutes: 15, severity: 2 }
  'pool-empty-on-claim': { threshold: 1, windowMinutes: 15, severity: 1 }
  'provisioning-failing': { threshold: 5, windowMinutes: 15, severity: 2 }
  'poison-messages': { threshold: 1, windowMinutes: 15, severity: 3 }
  'deletion-queue-old': { threshold: 3600, windowMinutes: 15, severity: 2 }
  'deletion-queue-growing': { threshold: 40, windowMinutes: 120, severity: 3 }
  'rooms-unaccounted': { threshold: 3, windowMinutes: 60, severity: 3 }
  'platform-unreachable': { threshold: 2, windowMinutes: 15, severity: 1 }
  'platform-alarms': { threshold: 1, windowMinutes: 15, severity: 3 }
  'event-sink-silent': { threshold: 3, windowMinutes: 360, severity: 1 }
  'signing-keys-stale': { threshold: 1, windowMinutes: 15, severity: 2 }
  'contact-centre-throttling': { threshold: 5, windowMinutes: 15, severity: 3 }
  'timers-not-running': { threshold: 1, windowMinutes: 30, severity: 1 }
  'server-errors': { threshold: 5, windowMinutes: 15, severity: 1 }
  'creates-failing': { threshold: 3, windowMinutes: 15, severity: 1 }
  'many-unauthenticated': { threshold: 50, windowMinutes: 15, severity: 2 }
  'contact-centre-unreachable': { threshold: 5, windowMinutes: 15, severity: 1 }
  'event-sink-stopped': { threshold: 1, windowMinutes: 15, severity: 1 }
  'health-check-failing': { threshold: 6, windowMinutes: 15, severity: 1 }
}

// Merged in depth: an environment may change one number of one alert.
var effectiveLimits = union(defaultLimits, limits)

var rules = [
  { name: 'pool-low', query: loadTextContent('../alerts/pool-low.kql') }
  { name: 'pool-empty-on-claim', query: loadTextContent('../alerts/pool-empty-on-claim.kql') }
  { name: 'provisioning-failing', query: loadTextContent('../alerts/provisioning-failing.kql') }
  { name: 'poison-messages', query: loadTextContent('../alerts/poison-messages.kql') }
  { name: 'deletion-queue-old', query: loadTextContent('../alerts/deletion-queue-old.kql') }
  { name: 'deletion-queue-growing', query: loadTextContent('../alerts/deletion-queue-growing.kql') }
  { name: 'rooms-unaccounted', query: loadTextContent('../alerts/rooms-unaccounted.kql') }
  { name: 'platform-unreachable', query: loadTextContent('../alerts/platform-unreachable.kql') }
  { name: 'platform-alarms', query: loadTextContent('../alerts/platform-alarms.kql') }
  { name: 'event-sink-silent', query: loadTextContent('../alerts/event-sink-silent.kql') }
  { name: 'signing-keys-stale', query: loadTextContent('../alerts/signing-keys-stale.kql') }
  { name: 'contact-centre-throttling', query: loadTextContent('../alerts/contact-centre-throttling.kql') }
  { name: 'timers-not-running', query: loadTextContent('../alerts/timers-not-running.kql') }
  { name: 'server-errors', query: loadTextContent('../alerts/server-errors.kql') }
  { name: 'creates-failing', query: loadTextContent('../alerts/creates-failing.kql') }
  { name: 'many-unauthenticated', query: loadTextContent('../alerts/many-unauthenticated.kql') }
  { name: 'contact-centre-unreachable', query: loadTextContent('../alerts/contact-centre-unreachable.kql') }
  { name: 'event-sink-stopped', query: loadTextContent('../alerts/event-sink-stopped.kql') }
  { name: 'health-check-failing', query: loadTextContent('../alerts/health-check-failing.kql') }
]

resource scheduledQueryRule 'Microsoft.Insights/scheduledQueryRules@2022-06-15' = [for rule in rules: {
  name: '${appName}-${rule.name}'
  location: location
  tags: tags
  kind: 'LogAlert'
  properties: {
    displayName: rule.name
    description: 'Runbook: section ${rule.name} in docs/operations.md or docs/alerts.md'
    severity: effectiveLimits[rule.name].severity
    enabled: true
    scopes: [workspaceId]
    evaluationFrequency: 'PT5M'
    windowSize: 'PT${effectiveLimits[rule.name].windowMinutes}M'
    autoMitigate: true
    // Tables of telemetry come into being with the first row, after this deployment.
    skipQueryValidation: true
    criteria: {
      allOf: [
        {
          // A query returns a row only when something is wrong, so any row is an alert.
          query: replace(replace(rule.query, '__app__', appName), '__threshold__', string(effectiveLimits[rule.name].threshold))
          timeAggregation: 'Count'
          operator: 'GreaterThan'
          threshold: 0
          failingPeriods: {
            numberOfEvaluationPeriods: 1
            minFailingPeriodsToAlert: 1
          }
        }
      ]
    }
    actions: {
      actionGroups: [effectiveLimits[rule.name].severity < 2 ? urgentGroupId : routineGroupId]
    }
  }
}]
