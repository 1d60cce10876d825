// The virtual network of a private deployment: one subnet each for the app, API Management and private endpoints.
param name string
param location string
param tags object
param addressPrefix string

var subnets = [
  { name: 'app', delegation: 'Microsoft.App/environments' }
  { name: 'api-management', delegation: 'Microsoft.Web/serverFarms' }
  { name: 'private-endpoints', delegation: '' }
]

// No own rules: the default ones let nothing in from the internet. API Management asks for a group on its subnet.
resource securityGroup 'Microsoft.Network/networkSecurityGroups@2023-11-01' = {
  name: 'nsg-${name}'
  location: location
  tags: tags
}

resource network 'Microsoft.Network/virtualNetworks@2023-11-01' = {
  name: name
  location: location
  tags: tags
  properties: {
    addressSpace: { addressPrefixes: [addressPrefix] }
    // Inside the network and not as resources of their own, so that a repeated deployment changes nothing.
    subnets: [for (subnet, index) in subnets: {
      name: subnet.name
      properties: {
        addressPrefix: cidrSubnet(addressPrefix, 26, index)
        networkSecurityGroup: { id: securityGroup.id }
        delegations: empty(subnet.delegation) ? [] : [
          {
            name: 'delegation'
            properties: { serviceName: subnet.delegation }
          }
        ]
      }
    }]
  }
}

output id string = network.id
output appSubnetId string = '${network.id}/subnets/app'
output apiManagementSubnetId string = '${network.id}/subnets/api-management'
output endpointSubnetId string = '${network.id}/subnets/private-endpoints'
