// Private endpoints of storage, vault and app, each with the zone that makes its name resolve inside the network.
param location string
param tags object
param networkId string
param subnetId string
param storageId string
param vaultId string
param appId string

var endpoints = [
  { name: 'blob', group: 'blob', targetId: storageId, zone: 'privatelink.blob.${environment().suffixes.storage}' }
  { name: 'queue', group: 'queue', targetId: storageId, zone: 'privatelink.queue.${environment().suffixes.storage}' }
  { name: 'table', group: 'table', targetId: storageId, zone: 'privatelink.table.${environment().suffixes.storage}' }
  { name: 'vault', group: 'vault', targetId: vaultId, zone: 'privatelink.vaultcore.azure.net' }
  { name: 'app', group: 'sites', targetId: appId, zone: 'privatelink.azurewebsites.net' }
]

resource zones 'Microsoft.Network/privateDnsZones@2020-06-01' = [for endpoint in endpoints: {
  name: endpoint.zone
  location: 'global'
  tags: tags
}]

resource links 'Microsoft.Network/privateDnsZones/virtualNetworkLinks@2020-06-01' = [for (endpoint, index) in endpoints: {
  parent: zones[index]
  name: 'gateway'
  location: 'global'
  tags: tags
  properties: {
    registrationEnabled: false
    virtualNetwork: { id: networkId }
  }
}]

resource privateEndpoints 'Microsoft.Network/privateEndpoints@2023-11-01' = [for endpoint in endpoints: {
  name: 'pe-${endpoint.name}'
  location: location
  tags: tags
  properties: {
    subnet: { id: subnetId }
    privateLinkServiceConnections: [
      {
        name: endpoint.name
        properties: {
          privateLinkServiceId: endpoint.targetId
          groupIds: [endpoint.group]
        }
      }
    ]
  }
}]

resource zoneGroups 'Microsoft.Network/privateEndpoints/privateDnsZoneGroups@2023-11-01' = [for (endpoint, index) in endpoints: {
  parent: privateEndpoints[index]
  name: 'default'
  properties: {
    privateDnsZoneConfigs: [
      {
        name: endpoint.name
        properties: { privateDnsZoneId: zones[index].id }
      }
    ]
  }
}]
