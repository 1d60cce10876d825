// A virtual network for one environment, with one fixed outbound address, and subnets for the app, API Management, private
// endpoints and the runner that deploys to a private environment. infra/README.md explains the options.
@export()
@sealed()
type networkOptions = {
  isPrivate: bool
  hasFixedOutboundAddress: bool
  addressPrefix: string
  existingAppSubnetId: string
  existingApiManagementSubnetId: string
  existingEndpointSubnetId: string
  existingDnsZonesGroupId: string
}

param name string
param location string
param tags object
param addressPrefix string

var subnets = [
  { name: 'app', delegation: 'Microsoft.App/environments', hasNat: true }
  { name: 'api-management', delegation: 'Microsoft.Web/serverFarms', hasNat: false }
  { name: 'private-endpoints', delegation: '', hasNat: false }
  { name: 'runner', delegation: '', hasNat: true }
  // For access to the runner. Azure prescribes the name.
  { name: 'AzureBastionSubnet', delegation: '', hasNat: false }
]

// The default rules allow no inbound traffic from the internet. API Management requires a group on its subnet; Bastion needs rules
// of its own, so its subnet has none.
resource securityGroup 'Microsoft.Network/networkSecurityGroups@2024-05-01' = {
  name: 'nsg-${name}'
  location: location
  tags: tags
}

resource address 'Microsoft.Network/publicIPAddresses@2024-05-01' = {
  name: 'ip-${name}'
  location: location
  tags: tags
  sku: { name: 'Standard' }
  properties: { publicIPAllocationMethod: 'Static' }
}

resource natGateway 'Microsoft.Network/natGateways@2024-05-01' = {
  name: 'nat-${name}'
  location: location
  tags: tags
  sku: { name: 'Standard' }
  properties: { publicIpAddresses: [{ id: address.id }] }
}

resource network 'Microsoft.Network/virtualNetworks@2024-05-01' = {
  name: 'vnet-${name}'
  location: location
  tags: tags
  properties: {
    addressSpace: { addressPrefixes: [addressPrefix] }
    // Declared within the network, so a repeated deployment changes nothing. It removes subnets that were added by hand.
    subnets: [for (subnet, index) in subnets: {
      name: subnet.name
      properties: {
        addressPrefix: cidrSubnet(addressPrefix, 26, index)
        defaultOutboundAccess: false
        networkSecurityGroup: subnet.name == 'AzureBastionSubnet' ? null : { id: securityGroup.id }
        natGateway: subnet.hasNat ? { id: natGateway.id } : null
        delegations: empty(subnet.delegation) ? [] : [{ name: 'delegation', properties: { serviceName: subnet.delegation } }]
      }
    }]
  }
}

output id string = network.id
output appSubnetId string = '${network.id}/subnets/app'
output apiManagementSubnetId string = '${network.id}/subnets/api-management'
output endpointSubnetId string = '${network.id}/subnets/private-endpoints'
output outboundAddress string = address.properties.ipAddress
