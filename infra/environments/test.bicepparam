// Values of the test group. Every id, address and name here is made up: put in your own.
using '../main.bicep'

param environmentName = 'test'
param environmentGroup = 'test'
param location = 'westeurope'

param settings = {
  PLATFORM_URL: 'https://platform-test.example.com'
  PLATFORM_USERNAME: 'vmr-gateway'
  ROOM_TEMPLATE: {
    participant_limit: 10
  }
  MAX_VMR: 20
  POOL_MINIMUM: 10
  SERVICE_TAG_BASE_URL: 'https://verify-test.example.com/session/'
  CONTACT_CENTRE_API_URL: 'https://api.mypurecloud.de'
  CONTACT_CENTRE_DIVISION_IDS: '00000000-0000-4000-8000-00000000d201'
  EVENT_SINK_USERNAME: 'platform-test'
}

param authTenantId = '00000000-0000-4000-8000-00000000a200'
// The consumer asks for api://<its own client id>/.default: version 1 tokens then have that audience, version 2 the bare id.
param authAudiences = ['api://00000000-0000-4000-8000-00000000c201', '00000000-0000-4000-8000-00000000c201']
param authClientIds = ['00000000-0000-4000-8000-00000000c201']

param publisherName = 'Example platform team'
param publisherEmail = 'platform-team@example.com'
param widgetOrigins = ['https://widget-test.example.com']

param urgentEmails = ['on-call-test@example.com']
param routineEmails = ['platform-team@example.com']
param secretOfficerPrincipalId = '00000000-0000-4000-8000-00000000e201'

param dailyLogCapGb = 5
