// The vault that holds the gateway's secrets; their values are put in by hand and never pass through a template.
param name string
param location string
param tags object
param publicNetworkAccess string
// Only production keeps a deleted vault for 90 days: elsewhere its name must be free for the next deployment.
param isProduction bool
param workspaceId string
param appPrincipalId string
param secretOfficerPrincipalId string
param secretOfficerPrincipalType string

// Key Vault Secrets User
var readerRoleId = '4633458b-17de-408a-b874-0445c86b69e6'
// Key Vault Secrets Officer
var officerRoleId = 'b86a8fe4-44ce-4948-aee5-eccb2c155cd7'

resource vault 'Microsoft.KeyVault/vaults@2023-07-01' = {
  name: name
  location: location
  tags: tags
  properties: {
    tenantId: subscription().tenantId
    sku: {
      family: 'A'
      name: 'standard'
    }
    enableRbacAuthorization: true
    enableSoftDelete: true
    softDeleteRetentionInDays: isProduction ? 90 : 7
    // Azure knows true or nothing here: once on, it cannot be turned off.
    enablePurgeProtection: isProduction ? true : null
    publicNetworkAccess: publicNetworkAccess
    networkAcls: {
      bypass: 'None'
      defaultAction: publicNetworkAccess == 'Enabled' ? 'Allow' : 'Deny'
    }
  }
}

// App settings are references to secrets; the host resolves them as the app's identity and only ever reads.
resource appMayRead 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(vault.id, appPrincipalId, readerRoleId)
  scope: vault
  properties: {
    principalId: appPrincipalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', readerRoleId)
  }
}

// Somebody has to put the secrets in and rotate them; without a principal the role is given outside this template.
resource officerMayWrite 'Microsoft.Authorization/roleAssignments@2022-04-01' = if (!empty(secretOfficerPrincipalId)) {
  name: guid(vault.id, secretOfficerPrincipalId, officerRoleId)
  scope: vault
  properties: {
    principalId: secretOfficerPrincipalId
    principalType: secretOfficerPrincipalType
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', officerRoleId)
  }
}

// Who read or changed a secret, and when, is kept in the workspace.
resource audit 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = {
  name: 'audit'
  scope: vault
  properties: {
    workspaceId: workspaceId
    logs: [
      {
        categoryGroup: 'audit'
        enabled: true
      }
    ]
  }
}

output id string = vault.id
output name string = vault.name
output uri string = vault.properties.vaultUri
