// The virtual network of a private deployment: one subnet each for the app, API Management, private endpoints and the
// runner that deploys to it.
param name string
param location string
param tags object
param addressPrefix string
// Empty without a fixed outbound address.
param natGatewayId string

var subnets = [
  { name: 'app', delegation: 'Microsoft.App/environments', natGatewayId: natGatewayId }
  { name: 'api-management', delegation: 'Microsoft.Web/serverFarms', natGatewayId: '' }
  { name: 'private-endpoints', delegation: '', natGatewayId: '' }
  // For the machine that puts secrets in and deploys the package: storage and vault have no other way in.
  { name: 'runner', delegation: '', natGatewayId: natGatewayId }
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
    // Inside the network and not as resources of their own, so a repeated deployment changes nothing. A subnet added by hand is removed.
    subnets: [for (subnet, index) in subnets: {
      name: subnet.name
      properties: {
        addressPrefix: cidrSubnet(addressPrefix, 26, index)
        networkSecurityGroup: { id: securityGroup.id }
        natGateway: empty(subnet.natGatewayId) ? null : { id: subnet.natGatewayId }
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
