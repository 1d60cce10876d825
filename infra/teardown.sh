#!/bin/sh
# Deletes an environment and frees the names that Azure would keep: sh infra/teardown.sh test
# Deletes the group if provisioning created it. In an existing group (AZURE_RESOURCE_GROUP), deletes only the resources with
# the gateway's tag. If it stops, run it again.
set -eu

environment=${1:-}
if [ $# -ne 1 ]; then
  echo "Name the environment, as in infra/environments: sh infra/teardown.sh test" >&2
  exit 2
fi
# shellcheck source=infra/values.sh
. infra/values.sh

if [ "${TEARDOWN_CONFIRM:-}" != "$environment" ]; then
  echo "This deletes the gateway of $environment in $group, with its queues and secrets. Empty the pool first" >&2
  echo "(DELETE /room/bulk/ until 204): afterwards nobody knows which rooms were its own." >&2
  echo "To go on: TEARDOWN_CONFIRM=$environment sh infra/teardown.sh $1" >&2
  exit 2
fi

if [ -n "${EXISTING_API_MANAGEMENT_ID:-}" ]; then
  in_subscription resource delete --ids "$EXISTING_API_MANAGEMENT_ID/apis/vmr-gateway-$environment" \
    --api-version 2024-05-01 || echo "The API in $EXISTING_API_MANAGEMENT_ID is gone already." >&2
fi

ours() {
  in_subscription resource list --resource-group "$group" --tag "vmr-gateway=$environment" --query "[].id" --output tsv
}
if [ "$(in_subscription group exists --name "$group" --output tsv)" = true ]; then
  if [ -z "${AZURE_RESOURCE_GROUP:-}" ]; then
    in_subscription group delete --name "$group" --yes
  else
    # Some resources can only be deleted after others, so the remaining ones are retried.
    tries=6
    while [ -n "$(ours)" ] && [ "$tries" -gt 0 ]; do
      tries=$((tries - 1))
      for id in $(ours); do in_subscription resource delete --ids "$id" --output none || true; done
    done
    if [ -n "$(ours)" ]; then
      echo "Some resources could not be deleted:" >&2
      ours >&2
      exit 1
    fi
    # Otherwise, its outputs would name resources that are gone.
    in_subscription deployment group delete --resource-group "$group" --name "vmr-gateway-$environment" || true
  fi
fi

tab=$(printf '\t')
in_subscription keyvault list-deleted --resource-type vault --output tsv \
  --query "[?properties.tags.\"vmr-gateway\"=='$environment'].[name, properties.location, properties.purgeProtectionEnabled, properties.scheduledPurgeDate]" |
  while IFS=$tab read -r vault location is_protected until; do
    case $is_protected in
      [Tt]rue) echo "The protected vault $vault keeps its name until $until; az keyvault recover brings it back." >&2 ;;
      *) in_subscription keyvault purge --name "$vault" --location "$location" ;;
    esac
  done
# The 13 characters of uniqueString follow the name, so those of test-2 are longer than those of test.
length=$((${#environment} + 23))
in_subscription apim deletedservice list --output tsv \
  --query "[?starts_with(name, 'apim-vmr-$environment-') && length(name) == \`$length\`].[name, location]" |
  while IFS=$tab read -r service location; do
    in_subscription apim deletedservice purge --service-name "$service" --location "$location"
  done
echo "The gateway of $environment is gone."
