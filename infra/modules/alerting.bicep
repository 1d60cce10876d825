// What tells people: two groups of receivers, the alert rules, and the workbook.
param location string
param tags object
param appName string
param workspaceId string
param urgentEmails array
param routineEmails array
param limits object

module urgent 'action-group.bicep' = {
  name: 'urgent-receivers'
  params: {
    name: 'ag-${appName}-urgent'
    shortName: 'vmr-urgent'
    tags: tags
    emailAddresses: urgentEmails
  }
}

module routine 'action-group.bicep' = {
  name: 'routine-receivers'
  params: {
    name: 'ag-${appName}-routine'
    shortName: 'vmr-routine'
    tags: tags
    emailAddresses: routineEmails
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

module workbook 'workbook.bicep' = {
  name: 'workbook'
  params: {
    location: location
    tags: tags
    appName: appName
    workspaceId: workspaceId
  }
}
