// Values of the production group. Every id, address and name here is made up: put in your own.
using '../main.bicep'

param environmentName = 'prod'
param environmentGroup = 'production'
param location = 'westeurope'

param settings = {
  PLATFORM_URL: 'https://platform-prod.example.com'
  PLATFORM_USERNAME: 'vmr-gateway'
  ROOM_TEMPLATE: {
    participant_limit: 10
  }
  MAX_VMR: 50
  POOL_MINIMUM: 25
  SERVICE_TAG_BASE_URL: 'https://verify-prod.example.com/session/'
  CONTACT_CENTRE_API_URL: 'https://api.mypurecloud.de'
  CONTACT_CENTRE_DIVISION_IDS: '00000000-0000-4000-8000-00000000d301'
  EVENT_SINK_USERNAME: 'platform-prod'
}

param authTenantId = '00000000-0000-4000-8000-00000000a300'
// The consumer asks for api://<its own client id>/.default: version 1 tokens then have that audience, version 2 the bare id.
param authAudiences = ['api://00000000-0000-4000-8000-00000000c301', '00000000-0000-4000-8000-00000000c301']
param authClientIds = ['00000000-0000-4000-8000-00000000c301']

param publisherName = 'Example platform team'
param publisherEmail = 'platform-team@example.com'
param widgetOrigins = ['https://widget-prod.example.com']

param urgentEmails = ['on-call-prod@example.com']
param routineEmails = ['platform-team@example.com']
param secretOfficerPrincipalId = '00000000-0000-4000-8000-00000000e301'

param privateNetwork = true
param alwaysReadyHttpInstances = 1
param retentionDays = 365
param fixedOutboundAddress = true
param monthlyBudget = {
  amount: 1200
  firstMonth: '2026-12'
}
