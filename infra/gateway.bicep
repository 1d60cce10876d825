// Connects the modules that make up one environment in one resource group.
import { alertOptions, loggingOptions } from 'observability.bicep'
import { apiManagementOptions } from 'api-management.bicep'
import { hostingOptions } from 'app.bicep'
import { networkOptions } from 'network.bicep'
import { vaultOptions } from 'data.bicep'

@minLength(2)
@maxLength(12)
param environmentName string
param location string
param tags object
@description('The app settings by name. The app checks them.')
param settings object
param hosting hostingOptions
param network networkOptions
param vault vaultOptions
param apiManagement apiManagementOptions
param logging loggingOptions
param alerts alertOptions
@description('The snapshots set it, because it is not known offline.')
param storageSuffix string = environment().suffixes.storage

var unique = uniqueString(resourceGroup().id, location, environmentName)
var allTags = union(tags, { 'vmr-gateway': environmentName })
var appName = 'func-vmr-${environmentName}-${unique}'
var publicNetworkAccess = network.isPrivate ? 'Disabled' : 'Enabled'
var makesNetwork = (network.isPrivate || network.hasFixedOutboundAddress) && empty(network.existingAppSubnetId)

// /subscriptions/<2>/resourceGroups/<4>/providers/<type>/<8>
var hasApiManagement = apiManagement.mode != 'none'
var serviceId = split(apiManagement.existingId, '/')
var isNewService = apiManagement.mode == 'new'
var serviceName = apiManagement.mode == 'existing' ? serviceId[8] : 'apim-vmr-${environmentName}-${unique}'
var serviceScope = apiManagement.mode == 'existing' ? { subscription: serviceId[2], group: serviceId[4] } : { subscription: subscription().subscriptionId, group: resourceGroup().name }

// Calculated from names, so alerts need not wait for API Management to be deployed.
var frontHost = hasApiManagement ? '${serviceName}.azure-api.net' : '${appName}.azurewebsites.net'
var frontPath = hasApiManagement && !empty(apiManagement.path) ? '/${apiManagement.path}' : ''
var publicUrl = empty(apiManagement.publicUrl) ? 'https://${frontHost}${frontPath}' : apiManagement.publicUrl
var healthUrl = '${publicUrl}/public/health'

resource appIdentity 'Microsoft.ManagedIdentity/userAssignedIdentities@2023-01-31' = {
  name: 'id-vmr-${environmentName}'
  location: location
  tags: allTags
}

// Azure uses it to store and read the package. Only this identity has a role on the package's account.
resource packageIdentity 'Microsoft.ManagedIdentity/userAssignedIdentities@2023-01-31' = {
  name: 'id-vmr-${environmentName}-package'
  location: location
  tags: allTags
}

module observability 'observability.bicep' = {
  name: 'vmr-gateway-${environmentName}-observability'
  params: {
    appName: appName
    environmentName: environmentName
    location: location
    tags: allTags
    logging: logging
    alerts: alerts
    hasApiManagementLogs: isNewService
    appPrincipalId: appIdentity.properties.principalId
    healthUrl: healthUrl
  }
}

module ownNetwork 'network.bicep' = if (makesNetwork) {
  name: 'vmr-gateway-${environmentName}-network'
  params: {
    name: 'vmr-${environmentName}'
    location: location
    tags: allTags
    addressPrefix: network.addressPrefix
  }
}

module data 'data.bicep' = {
  name: 'vmr-gateway-${environmentName}-data'
  params: {
    unique: unique
    location: location
    tags: allTags
    storageSku: hosting.storageSku
    vault: vault
    publicNetworkAccess: publicNetworkAccess
    workspaceId: observability.outputs.workspaceId
    alertGroupId: observability.outputs.routineGroupId
    appPrincipalId: appIdentity.properties.principalId
    packagePrincipalId: packageIdentity.properties.principalId
  }
}

module app 'app.bicep' = {
  name: 'vmr-gateway-${environmentName}-app'
  params: {
    name: appName
    environmentName: environmentName
    location: location
    tags: allTags
    hosting: hosting
    settings: settings
    identityId: appIdentity.id
    identityClientId: appIdentity.properties.clientId
    packageIdentityId: packageIdentity.id
    packageContainerUrl: data.outputs.packageContainerUrl
    publicNetworkAccess: publicNetworkAccess
    subnetId: makesNetwork ? ownNetwork!.outputs.appSubnetId : network.existingAppSubnetId
    // Without API Management, the app's host responds to the widget's preflight request.
    browserOrigins: hasApiManagement ? [] : apiManagement.widgetOrigins
    vaultUrl: data.outputs.vaultUrl
    storageUrls: data.outputs.storageUrls
    insightsConnectionString: observability.outputs.insightsConnectionString
    healthUrl: healthUrl
    ingestion: observability.outputs.ingestion
  }
}

module gatewayApi 'api-management.bicep' = if (hasApiManagement) {
  name: 'vmr-gateway-${environmentName}-api-management'
  scope: resourceGroup(serviceScope.subscription, serviceScope.group)
  params: {
    serviceName: serviceName
    makesService: isNewService
    location: location
    tags: allTags
    options: apiManagement
    subnetId: !network.isPrivate ? '' : makesNetwork ? ownNetwork!.outputs.apiManagementSubnetId : network.existingApiManagementSubnetId
    workspaceId: observability.outputs.workspaceId
    apiName: 'vmr-gateway-${environmentName}'
    appHostName: app.outputs.hostName
    tenantId: settings.AUTH_TENANT_ID
    audiences: split(settings.AUTH_AUDIENCES, ',')
    clientIds: split(settings.AUTH_CLIENT_IDS, ',')
  }
}

// Private endpoints, each with the DNS zone that resolves its name inside the network.
var endpoints = [
  { name: 'blob', group: 'blob', target: 'storage', zone: 'privatelink.blob.${storageSuffix}' }
  { name: 'queue', group: 'queue', target: 'storage', zone: 'privatelink.queue.${storageSuffix}' }
  { name: 'table', group: 'table', target: 'storage', zone: 'privatelink.table.${storageSuffix}' }
  { name: 'package', group: 'blob', target: 'packageStorage', zone: 'privatelink.blob.${storageSuffix}' }
  { name: 'vault', group: 'vault', target: 'vault', zone: 'privatelink.vaultcore.azure.net' }
  { name: 'app', group: 'sites', target: 'app', zone: 'privatelink.azurewebsites.net' }
]
var targetIds = {
  storage: data.outputs.storageId
  packageStorage: data.outputs.packageStorageId
  vault: data.outputs.vaultId
  app: app.outputs.id
}
// An existing network without a group of zones has them set by a policy.
var makesZones = makesNetwork && empty(network.existingDnsZonesGroupId)
var hasZones = makesZones || !empty(network.existingDnsZonesGroupId)
var zonesGroupId = empty(network.existingDnsZonesGroupId) ? resourceGroup().id : network.existingDnsZonesGroupId
// /subscriptions/<2>/resourceGroups/<4>
var zonesGroup = split(zonesGroupId, '/')

// A new network can only resolve the names of zones that are linked to it.
module zones 'private-dns.bicep' = if (network.isPrivate && makesNetwork) {
  name: 'vmr-gateway-${environmentName}-private-dns'
  scope: resourceGroup(zonesGroup[2], zonesGroup[4])
  params: {
    zoneNames: union(map(endpoints, endpoint => endpoint.zone), [])
    makesZones: makesZones
    linkName: 'vmr-${environmentName}-${unique}'
    networkId: ownNetwork!.outputs.id
    tags: allTags
  }
}

resource privateEndpoints 'Microsoft.Network/privateEndpoints@2024-05-01' = [for endpoint in endpoints: if (network.isPrivate) {
  name: 'pe-vmr-${environmentName}-${endpoint.name}'
  location: location
  tags: allTags
  properties: {
    subnet: { id: makesNetwork ? ownNetwork!.outputs.endpointSubnetId : network.existingEndpointSubnetId }
    privateLinkServiceConnections: [
      { name: endpoint.name, properties: { privateLinkServiceId: targetIds[endpoint.target], groupIds: [endpoint.group] } }
    ]
  }
}]

resource zoneGroups 'Microsoft.Network/privateEndpoints/privateDnsZoneGroups@2024-05-01' = [for (endpoint, index) in endpoints: if (network.isPrivate && hasZones) {
  parent: privateEndpoints[index]
  name: 'default'
  properties: {
    privateDnsZoneConfigs: [
      { name: endpoint.name, properties: { privateDnsZoneId: '${zonesGroupId}/providers/Microsoft.Network/privateDnsZones/${endpoint.zone}' } }
    ]
  }
  dependsOn: [zones]
}]

output functionAppName string = app.outputs.name
output keyVaultName string = data.outputs.vaultName
output healthUrl string = healthUrl
// For the platform's allow-list; empty without a fixed address, or if calls leave through an existing network.
output outboundAddress string = makesNetwork ? ownNetwork!.outputs.outboundAddress : ''
