// Nothing in the resource group can be deleted by accident; infra/scripts/teardown.sh removes the lock first.
resource lock 'Microsoft.Authorization/locks@2020-05-01' = {
  name: 'production'
  properties: {
    level: 'CanNotDelete'
    notes: 'Queues and secrets of the production environment.'
  }
}
