// Asks for the health of the gateway from three places outside, every five minutes.
param name string
param location string
param tags object
param insightsId string
param url string

// Ireland, the Netherlands and Virginia, by the ids of
// https://learn.microsoft.com/azure/azure-monitor/app/availability#location-population-tags
var placeIds = ['emea-gb-db3-azr', 'emea-nl-ams-azr', 'us-va-ash-azr']

resource test 'Microsoft.Insights/webtests@2022-06-15' = {
  name: name
  location: location
  // The portal finds the component of a test by this tag.
  tags: union(tags, { 'hidden-link:${insightsId}': 'Resource' })
  kind: 'standard'
  properties: {
    Name: name
    SyntheticMonitorId: name
    Kind: 'standard'
    Enabled: true
    Frequency: 300
    Timeout: 30
    // A single lost request says nothing about the gateway.
    RetryEnabled: true
    Locations: [for id in placeIds: { Id: id }]
    Request: {
      HttpVerb: 'GET'
      RequestUrl: url
    }
    ValidationRules: {
      ExpectedHttpStatusCode: 200
      SSLCheck: true
      SSLCertRemainingLifetimeCheck: 14
    }
  }
}
