#!/bin/sh
# Creates the identity with which the workflow `deploy` logs in for one environment:
# sh infra/create-identity.sh <repository> <environment> <scope> <location>
set -eu

# Azure CLI can take an empty scope, as from an unset variable, for its whole subscription:
# https://github.com/Azure/azure-cli/issues/11883
if [ $# -ne 4 ] || [ "${3#/subscriptions/}" = "$3" ]; then
  echo "Usage: sh infra/create-identity.sh <repository> <environment> <scope> <location>" >&2
  exit 2
fi
repository=$1
environment=$2
scope=$3
location=$4
group=rg-vmr-gateway-deployment
identity=id-vmr-deploy-$environment

# The CLI's own, in which the identity is made. The scope may be in another one.
subscription=$(az account show --query "join(' ', [id, name])" --output tsv)
echo "Subscription $subscription, group $group" >&2
# Repositories made since July 2026 have a longer prefix.
prefix=$(gh api "repos/$repository/actions/oidc/customization/sub" --jq .sub_claim_prefix)
subject="${prefix:-repo:$repository}:environment:$environment"

# Azure refuses an existing group with another location, which that of another environment's identity may have.
exists=$(az group exists --name "$group" --output tsv)
[ "$exists" = true ] || az group create --name "$group" --location "$location" --output none
az identity create --name "$identity" --resource-group "$group" --output none
az identity federated-credential create --name github --identity-name "$identity" --resource-group "$group" \
  --issuer https://token.actions.githubusercontent.com --subject "$subject" --audiences api://AzureADTokenExchange
principal=$(az identity show --name "$identity" --resource-group "$group" --query principalId --output tsv)
az role assignment create --assignee-object-id "$principal" --assignee-principal-type ServicePrincipal \
  --role Contributor --scope "$scope" --output none
az role assignment create --assignee-object-id "$principal" --assignee-principal-type ServicePrincipal \
  --role "Role Based Access Control Administrator" --scope "$scope" --output none \
  --condition-version 2.0 --condition "$(cat infra/role-condition.txt)"
echo "Subject: $subject"
az identity show --name "$identity" --resource-group "$group" \
  --query "{AZURE_CLIENT_ID: clientId, AZURE_TENANT_ID: tenantId, objectId: principalId}"
