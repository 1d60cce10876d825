// The principal of an API Management service's own identity, which a service of another team must have switched on.
param serviceName string

resource service 'Microsoft.ApiManagement/service@2024-05-01' existing = {
  name: serviceName
}

output principalId string = service.identity.principalId
