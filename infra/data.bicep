// Everything that outlives a request: the storage account of queues and host, the package's account, and the vault.
@export()
@sealed()
type vaultOptions = {
  isProtected: bool
  @description('Object ID of the group or user that sets secrets; empty if the role is assigned elsewhere.')
  writerId: string
  writerType: 'Group' | 'User' | 'ServicePrincipal'
}

param unique string
param location string
param tags object
param storageSku string
param vault vaultOptions
param publicNetworkAccess string
param workspaceId string
@description('Empty without alerts.')
param alertGroupId string
param appPrincipalId string
param packagePrincipalId string
@description('Empty if this deployment creates no API Management service.')
param apiManagementPrincipalId string

var roles = {
  blobDataOwner: 'b7e6dc6d-f1e8-4753-8033-0f276bb0955b'
  blobDataContributor: 'ba92f5b4-2d11-453d-a403-e96b0029c9fe'
  queueDataContributor: '974c5e8b-45b9-4653-ba55-5f855dd0fb88'
  tableDataContributor: '0a9a7e1f-b9d0-4cc4-a60d-0319b160aaa3'
  vaultSecretsUser: '4633458b-17de-408a-b874-0445c86b69e6'
  vaultSecretsOfficer: 'b86a8fe4-44ce-4948-aee5-eccb2c155cd7'
}
var networkRules = {
  bypass: 'None'
  defaultAction: publicNetworkAccess == 'Enabled' ? 'Allow' : 'Deny'
}
var accountProperties = {
  allowSharedKeyAccess: false
  defaultToOAuthAuthentication: true
  allowBlobPublicAccess: false
  allowCrossTenantReplication: false
  minimumTlsVersion: 'TLS1_2'
  supportsHttpsTrafficOnly: true
  publicNetworkAccess: publicNetworkAccess
  networkAcls: networkRules
}
var queueNames = [
  'room-creation-queue'
  'room-deletion-queue'
  'room-provisioning-queue'
  // The host moves requests that failed too often here. The queue is created beforehand, so its depth can be read.
  'room-provisioning-queue-poison'
]

resource account 'Microsoft.Storage/storageAccounts@2024-01-01' = {
  name: 'stvmr${unique}'
  location: location
  tags: tags
  kind: 'StorageV2'
  sku: { name: storageSku }
  properties: union(accountProperties, {
    // The lifecycle rule below is a service of Azure, and does not run behind a firewall that keeps those out.
    networkAcls: union(networkRules, { bypass: 'AzureServices' })
  })
}

resource queueService 'Microsoft.Storage/storageAccounts/queueServices@2024-01-01' = {
  parent: account
  name: 'default'
}

resource queues 'Microsoft.Storage/storageAccounts/queueServices/queues@2024-01-01' = [for queueName in queueNames: {
  parent: queueService
  name: queueName
}]

resource blobService 'Microsoft.Storage/storageAccounts/blobServices@2024-01-01' = {
  parent: account
  name: 'default'
}

// Records of idempotency keys, by src/lib/azure/blob-records.ts. The lifecycle rule below deletes old ones.
resource createRecords 'Microsoft.Storage/storageAccounts/blobServices/containers@2024-01-01' = {
  parent: blobService
  name: 'create-records'
}

resource expiry 'Microsoft.Storage/storageAccounts/managementPolicies@2024-01-01' = {
  parent: account
  name: 'default'
  properties: {
    policy: {
      rules: [
        {
          name: 'expire-create-records'
          type: 'Lifecycle'
          definition: {
            filters: { blobTypes: ['blockBlob'], prefixMatch: ['create-records/'] }
            actions: { baseBlob: { delete: { daysAfterModificationGreaterThan: 1 } } }
          }
        }
      ]
    }
  }
}

// A separate account: the host needs the app's identity to own all blobs, and that must not include the app's code.
resource packageAccount 'Microsoft.Storage/storageAccounts@2024-01-01' = {
  name: 'stvmrpkg${unique}'
  location: location
  tags: tags
  kind: 'StorageV2'
  sku: { name: storageSku }
  properties: accountProperties
}

resource packageBlobs 'Microsoft.Storage/storageAccounts/blobServices@2024-01-01' = {
  parent: packageAccount
  name: 'default'
}

resource packageContainer 'Microsoft.Storage/storageAccounts/blobServices/containers@2024-01-01' = {
  parent: packageBlobs
  name: 'app-package'
}

// The host keeps leases and keys in blobs (owner) and diagnostic events in a table; host and app work with the queues.
resource appMayStore 'Microsoft.Authorization/roleAssignments@2022-04-01' = [for roleId in [
  roles.blobDataOwner
  roles.queueDataContributor
  roles.tableDataContributor
]: {
  name: guid(account.id, appPrincipalId, roleId)
  scope: account
  properties: {
    principalId: appPrincipalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roleId)
  }
}]

resource packageMayBeStored 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(packageAccount.id, packagePrincipalId, roles.blobDataContributor)
  scope: packageAccount
  properties: {
    principalId: packagePrincipalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roles.blobDataContributor)
  }
}

resource keyVault 'Microsoft.KeyVault/vaults@2023-07-01' = {
  name: 'kv-vmr-${unique}'
  location: location
  tags: tags
  properties: {
    tenantId: subscription().tenantId
    sku: { family: 'A', name: 'standard' }
    enableRbacAuthorization: true
    enableSoftDelete: true
    softDeleteRetentionInDays: vault.isProtected ? 90 : 7
    // Azure accepts true or null, but not false.
    enablePurgeProtection: vault.isProtected ? true : null
    publicNetworkAccess: publicNetworkAccess
    networkAcls: networkRules
  }
}

// The app reads secrets for its settings, API Management reads the one that it sends, and the vault's writer sets them.
var vaultRoles = [
  { principalId: appPrincipalId, principalType: 'ServicePrincipal', roleId: roles.vaultSecretsUser }
  { principalId: apiManagementPrincipalId, principalType: 'ServicePrincipal', roleId: roles.vaultSecretsUser }
  { principalId: vault.writerId, principalType: vault.writerType, roleId: roles.vaultSecretsOfficer }
]

resource mayUseVault 'Microsoft.Authorization/roleAssignments@2022-04-01' = [for entry in vaultRoles: if (!empty(entry.principalId)) {
  name: guid(keyVault.id, entry.principalId, entry.roleId)
  scope: keyVault
  properties: {
    principalId: entry.principalId
    principalType: entry.principalType
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', entry.roleId)
  }
}]

// Alert secret-expiring: 30 days before a secret with an expiry date expires, and when it has expired.
resource vaultEvents 'Microsoft.EventGrid/systemTopics@2025-02-15' = if (!empty(alertGroupId)) {
  name: 'evgt-${keyVault.name}'
  location: location
  tags: tags
  properties: {
    source: keyVault.id
    topicType: 'Microsoft.KeyVault.vaults'
  }
}

resource secretExpiring 'Microsoft.EventGrid/systemTopics/eventSubscriptions@2025-02-15' = if (!empty(alertGroupId)) {
  parent: vaultEvents
  name: 'secret-expiring'
  properties: {
    eventDeliverySchema: 'CloudEventSchemaV1_0'
    filter: { includedEventTypes: ['Microsoft.KeyVault.SecretNearExpiry', 'Microsoft.KeyVault.SecretExpired'] }
    destination: {
      endpointType: 'MonitorAlert'
      properties: {
        severity: 'Sev2'
        description: 'Runbook: section secret-expiring in docs/operations.md'
        actionGroups: [alertGroupId]
      }
    }
  }
}

// Who read or changed a secret, replaced the package or deleted a message. Reads of queues are not logged,
// because the host polls them all the time.
resource vaultAudit 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = {
  name: 'audit'
  scope: keyVault
  properties: {
    workspaceId: workspaceId
    logs: [{ categoryGroup: 'audit', enabled: true }]
  }
}

resource packageAudit 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = {
  name: 'audit'
  scope: packageBlobs
  properties: {
    workspaceId: workspaceId
    logs: [
      { category: 'StorageWrite', enabled: true }
      { category: 'StorageDelete', enabled: true }
    ]
  }
}

resource queueAudit 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = {
  name: 'audit'
  scope: queueService
  properties: {
    workspaceId: workspaceId
    logs: [{ category: 'StorageDelete', enabled: true }]
  }
}

output storageId string = account.id
output storageUrls object = account.properties.primaryEndpoints
output packageStorageId string = packageAccount.id
output packageContainerUrl string = '${packageAccount.properties.primaryEndpoints.blob}${packageContainer.name}'
output vaultId string = keyVault.id
output vaultName string = keyVault.name
output vaultUrl string = keyVault.properties.vaultUri
