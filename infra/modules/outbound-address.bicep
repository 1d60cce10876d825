// A NAT gateway with one fixed public address, through which the app calls the conferencing platform.
param name string
param location string
param tags object

resource address 'Microsoft.Network/publicIPAddresses@2023-11-01' = {
  name: 'ip-${name}'
  location: location
  tags: tags
  sku: { name: 'Standard' }
  properties: { publicIPAllocationMethod: 'Static' }
}

resource natGateway 'Microsoft.Network/natGateways@2023-11-01' = {
  name: name
  location: location
  tags: tags
  sku: { name: 'Standard' }
  properties: {
    idleTimeoutInMinutes: 4
    publicIpAddresses: [{ id: address.id }]
  }
}

output natGatewayId string = natGateway.id
output ipAddress string = address.properties.ipAddress
