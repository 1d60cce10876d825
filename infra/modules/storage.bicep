// The storage account of the queues, of the host's own state and of the deployed package, without shared keys.
param name string
param location string
param tags object
param appPrincipalId string
param publicNetworkAccess string
param skuName string
param workspaceId string

var queueNames = [
  'room-creation-queue'
  'room-deletion-queue'
  'room-provisioning-queue'
  // The host moves a request here that failed too often; it exists beforehand, so its depth can be read.
  'room-provisioning-queue-poison'
]

var packageContainerName = 'app-package'

// The host keeps timer leases and its own keys in blobs, in containers that it makes itself, and fetches the
// package from a blob: Storage Blob Data Owner is the role that the host asks for.
// It and the app put, receive and delete queue messages: Storage Queue Data Contributor.
// The host writes its diagnostic events to a table: Storage Table Data Contributor.
var appRoleIds = [
  'b7e6dc6d-f1e8-4753-8033-0f276bb0955b'
  '974c5e8b-45b9-4653-ba55-5f855dd0fb88'
  '0a9a7e1f-b9d0-4cc4-a60d-0319b160aaa3'
]

resource account 'Microsoft.Storage/storageAccounts@2023-05-01' = {
  name: name
  location: location
  tags: tags
  kind: 'StorageV2'
  sku: { name: skuName }
  properties: {
    allowSharedKeyAccess: false
    defaultToOAuthAuthentication: true
    allowBlobPublicAccess: false
    allowCrossTenantReplication: false
    minimumTlsVersion: 'TLS1_2'
    supportsHttpsTrafficOnly: true
    publicNetworkAccess: publicNetworkAccess
    networkAcls: {
      bypass: 'None'
      defaultAction: publicNetworkAccess == 'Enabled' ? 'Allow' : 'Deny'
    }
  }
}

resource queueService 'Microsoft.Storage/storageAccounts/queueServices@2023-05-01' = {
  parent: account
  name: 'default'
}

resource queues 'Microsoft.Storage/storageAccounts/queueServices/queues@2023-05-01' = [for queueName in queueNames: {
  parent: queueService
  name: queueName
}]

resource blobService 'Microsoft.Storage/storageAccounts/blobServices@2023-05-01' = {
  parent: account
  name: 'default'
}

resource packageContainer 'Microsoft.Storage/storageAccounts/blobServices/containers@2023-05-01' = {
  parent: blobService
  name: packageContainerName
}

// The records of idempotency keys: src/lib/azure/blob-records.ts names the container. A record counts for 24
// hours, and the rule deletes its blob a day later.
resource createRecords 'Microsoft.Storage/storageAccounts/blobServices/containers@2023-05-01' = {
  parent: blobService
  name: 'create-records'
}

resource expiry 'Microsoft.Storage/storageAccounts/managementPolicies@2023-05-01' = {
  parent: account
  name: 'default'
  properties: {
    policy: {
      rules: [
        {
          name: 'expire-create-records'
          enabled: true
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

resource appMayUse 'Microsoft.Authorization/roleAssignments@2022-04-01' = [for roleId in appRoleIds: {
  name: guid(account.id, appPrincipalId, roleId)
  scope: account
  properties: {
    principalId: appPrincipalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roleId)
  }
}]

// Who replaced the package, and who deleted a message. Reads are left out: the host polls the queues all day.
resource blobAudit 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = {
  name: 'audit'
  scope: blobService
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

output id string = account.id
output blobUri string = account.properties.primaryEndpoints.blob
output queueUri string = account.properties.primaryEndpoints.queue
output tableUri string = account.properties.primaryEndpoints.table
output packageContainerUri string = '${account.properties.primaryEndpoints.blob}${packageContainer.name}'
