#!/bin/sh
# Lets the workflows of one repository log in to one subscription without a secret (OpenID Connect), for one GitHub
# environment: sh infra/scripts/trust-github.sh owner/repository test
# The environment "pull-request" may only read, and ask what a deployment would change.
set -eu

if [ $# -ne 2 ]; then
  echo "Say which repository and which GitHub environment: sh infra/scripts/trust-github.sh owner/repository test" >&2
  exit 2
fi
repository=$1
environment=$2
group=rg-vmr-gateway-deployment
identity="id-vmr-deploy-$environment"
location=${AZURE_LOCATION:-westeurope}

case $environment in
  development | test | production) subject="repo:$repository:environment:$environment" ;;
  pull-request) subject="repo:$repository:pull_request" ;;
  *)
    echo "The environments are development, test, production and pull-request." >&2
    exit 2
    ;;
esac

subscription=$(az account show --query id --output tsv)
tenant=$(az account show --query tenantId --output tsv)
az group create --name "$group" --location "$location" --output none
az identity create --name "$identity" --resource-group "$group" --location "$location" --output none
az identity federated-credential create --name github --identity-name "$identity" --resource-group "$group" \
  --issuer https://token.actions.githubusercontent.com --subject "$subject" \
  --audiences api://AzureADTokenExchange --output none
principal=$(az identity show --name "$identity" --resource-group "$group" --query principalId --output tsv)
client=$(az identity show --name "$identity" --resource-group "$group" --query clientId --output tsv)

assign() {
  az role assignment create --assignee-object-id "$principal" --assignee-principal-type ServicePrincipal \
    --role "$1" --scope "/subscriptions/$subscription" --output none
}

if [ "$environment" = pull-request ]; then
  what_if="VMR gateway what-if"
  known=$(az role definition list --name "$what_if" --query "[0].roleName" --output tsv)
  if [ -z "$known" ]; then
    az role definition create --output none --role-definition "{
      \"Name\": \"$what_if\",
      \"Description\": \"Reads a subscription and asks what a deployment would change.\",
      \"Actions\": [\"*/read\", \"Microsoft.Resources/deployments/validate/action\", \"Microsoft.Resources/deployments/whatIf/action\"],
      \"AssignableScopes\": [\"/subscriptions/$subscription\"]
    }"
  fi
  assign "$what_if"
  echo "Set these variables of the repository (Settings, Secrets and variables, Actions, Variables):"
  echo "  AZURE_WHAT_IF_CLIENT_ID=$client"
else
  # The template assigns roles itself, which Contributor alone may not.
  assign Contributor
  assign "Role Based Access Control Administrator"
  # The lock on the resource group is not among the rights of either.
  if [ "$environment" = production ]; then assign "Locks Contributor"; fi
  echo "Set these variables of the GitHub environment $environment, and for production its required reviewers:"
  echo "  AZURE_CLIENT_ID=$client"
  echo "Add the principal $principal to the group that sets secrets (parameter secretOfficerPrincipalId): the workflow" >&2
  echo "looks for missing secrets." >&2
fi
echo "  AZURE_TENANT_ID=$tenant"
echo "  AZURE_SUBSCRIPTION_ID=$subscription"
echo "  AZURE_LOCATION=$location"
