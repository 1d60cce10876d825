// Values of the development group. Every id, address and name here is made up: put in your own.
using '../main.bicep'

param environmentName = 'dev'
param environmentGroup = 'development'
param location = 'westeurope'

param settings = {
  PLATFORM_URL: 'https://platform-dev.example.com'
  PLATFORM_USERNAME: 'vmr-gateway'
  ROOM_TEMPLATE: {
    participant_limit: 10
  }
  MAX_VMR: 10
  POOL_MINIMUM: 5
  SERVICE_TAG_BASE_URL: 'https://verify-dev.example.com/session/'
  CONTACT_CENTRE_API_URL: 'https://api.mypurecloud.de'
  CONTACT_CENTRE_DIVISION_IDS: '00000000-0000-4000-8000-00000000d101'
  EVENT_SINK_USERNAME: 'platform-dev'
}

param authTenantId = '00000000-0000-4000-8000-00000000a100'
// The consumer asks for api://<its own client id>/.default: version 1 tokens then have that audience, version 2 the bare id.
param authAudiences = ['api://00000000-0000-4000-8000-00000000c101', '00000000-0000-4000-8000-00000000c101']
param authClientIds = ['00000000-0000-4000-8000-00000000c101']

param publisherName = 'Example platform team'
param publisherEmail = 'platform-team@example.com'
param widgetOrigins = ['https://widget-dev.example.com']

param urgentEmails = ['on-call-dev@example.com']
param routineEmails = ['platform-team@example.com']
param secretOfficerPrincipalId = '00000000-0000-4000-8000-00000000e101'

// The cheap way in: callers reach the app directly, without rate limits, and nobody is told of faults.
param apiManagement = 'none'
param alerts = false
param storageSku = 'Standard_LRS'
param dailyLogCapGb = 1
