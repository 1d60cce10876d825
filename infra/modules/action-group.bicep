// Who is told when an alert fires.
param name string
param shortName string
param tags object
param emailAddresses array
param phones array
param webhooks array

resource group 'Microsoft.Insights/actionGroups@2023-01-01' = {
  name: name
  location: 'global'
  tags: tags
  properties: {
    groupShortName: shortName
    enabled: true
    emailReceivers: [for (address, index) in emailAddresses: {
      name: 'receiver-${index}'
      emailAddress: address
      useCommonAlertSchema: true
    }]
    smsReceivers: [for (phone, index) in phones: {
      name: 'phone-${index}'
      countryCode: phone.countryCode
      phoneNumber: phone.phoneNumber
    }]
    webhookReceivers: [for (address, index) in webhooks: {
      name: 'webhook-${index}'
      serviceUri: address
      useCommonAlertSchema: true
    }]
  }
}

output id string = group.id
