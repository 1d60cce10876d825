// Creates the resource group of one environment and the gateway in it. Without the right to create a group, deploy
// gateway.bicep to an existing one: docs/deployment.md.
targetScope = 'subscription'

import { alertOptions, loggingOptions } from 'observability.bicep'
import { apiManagementOptions } from 'api-management.bicep'
import { hostingOptions } from 'app.bicep'
import { networkOptions } from 'network.bicep'
import { vaultOptions } from 'data.bicep'

param environmentName string
param location string
param tags object
param settings object
param hosting hostingOptions
param network networkOptions
param vault vaultOptions
param apiManagement apiManagementOptions
param logging loggingOptions
param alerts alertOptions
param storageSuffix string = environment().suffixes.storage

resource group 'Microsoft.Resources/resourceGroups@2024-03-01' = {
  name: 'rg-vmr-gateway-${environmentName}'
  location: location
  // azd finds the group by this tag.
  tags: union(tags, { 'azd-env-name': environmentName })
}

module gateway 'gateway.bicep' = {
  // infra/deploy.sh reads the outputs of the deployment with this name, which is deleted with the group.
  name: 'vmr-gateway-${environmentName}'
  scope: group
  params: {
    environmentName: environmentName
    location: location
    tags: tags
    settings: settings
    hosting: hosting
    network: network
    vault: vault
    apiManagement: apiManagement
    logging: logging
    alerts: alerts
    storageSuffix: storageSuffix
  }
}

// For azd, which restores the case of these names.
output AZURE_RESOURCE_GROUP string = group.name
output FUNCTION_APP_NAME string = gateway.outputs.functionAppName
output KEY_VAULT_NAME string = gateway.outputs.keyVaultName
output HEALTH_URL string = gateway.outputs.healthUrl
output OUTBOUND_ADDRESS string = gateway.outputs.outboundAddress
