// What tells people: two groups of receivers, the alert rules, and the test that asks from outside.
param location string
param tags object
param appName string
param workspaceId string
param insightsId string
param healthUrl string
param urgentEmails array
param urgentPhones array
param urgentWebhooks array
param routineEmails array
param limits object

module urgent 'action-group.bicep' = {
  name: 'urgent-receivers'
  params: {
    name: 'ag-${appName}-urgent'
    shortName: 'vmr-urgent'
    tags: tags
    emailAddresses: urgentEmails
    phones: urgentPhones
    webhooks: urgentWebhooks
  }
}

module routine 'action-group.bicep' = {
  name: 'routine-receivers'
  params: {
    name: 'ag-${appName}-routine'
    shortName: 'vmr-routine'
    tags: tags
    emailAddresses: routineEmails
    phones: []
    webhooks: []
  }
}

module alerts 'alerts.bicep' = {
  name: 'alerts'
  params: {
    location: location
    tags: tags
    appName: appName
    workspaceId: workspaceId
    urgentGroupId: urgent.outputs.id
    routineGroupId: routine.outputs.id
    limits: limits
  }
}

module availabilityTest 'availability-test.bicep' = {
  name: 'availability-test'
  params: {
    name: '${appName}-health'
    location: location
    tags: tags
    insightsId: insightsId
    url: healthUrl
  }
}
