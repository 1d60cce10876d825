// The private DNS zones of the endpoints, in their own group, and their links to the network.
param zoneNames string[]
param makesZones bool
param linkName string
param networkId string
param tags object

resource newZones 'Microsoft.Network/privateDnsZones@2024-06-01' = [for zone in zoneNames: if (makesZones) {
  name: zone
  location: 'global'
  tags: tags
}]

resource zones 'Microsoft.Network/privateDnsZones@2024-06-01' existing = [for zone in zoneNames: {
  name: zone
}]

resource links 'Microsoft.Network/privateDnsZones/virtualNetworkLinks@2024-06-01' = [for (zone, index) in zoneNames: {
  parent: zones[index]
  name: linkName
  location: 'global'
  tags: tags
  dependsOn: [newZones]
  properties: {
    registrationEnabled: false
    virtualNetwork: { id: networkId }
  }
}]
