#!/bin/sh
# Deletes an environment and frees the names that Azure would keep: sh infra/teardown.sh test
# Deletes the group if provisioning created it. In an existing group (AZURE_RESOURCE_GROUP), deletes only the resources with
# the gateway's tag.
set -eu

environment=${1:-}
# shellcheck source=infra/values.sh
. infra/values.sh

if [ "${TEARDOWN_CONFIRM:-}" != "$environment" ]; then
  echo "This deletes the gateway of $environment in $group, with its queues and secrets. Empty the pool first" >&2
  echo "(DELETE /room/bulk/ until 204): afterwards nobody knows which rooms were its own." >&2
  echo "To go on: TEARDOWN_CONFIRM=$environment sh infra/teardown.sh $1" >&2
  exit 2
fi

if [ -n "${EXISTING_API_MANAGEMENT_ID:-}" ]; then
  api="$EXISTING_API_MANAGEMENT_ID/apis/vmr-gateway-$environment"
  # `show` ends with 3 if there is no such resource.
  in_subscription resource show --ids "$api" --api-version 2024-05-01 --output none && shown=0 || shown=$?
  case $shown in
    0) in_subscription resource delete --ids "$api" --api-version 2024-05-01 ;;
    3) echo "The API in $EXISTING_API_MANAGEMENT_ID is gone already." >&2 ;;
    *) exit "$shown" ;;
  esac
fi

# `list` refuses a tag together with a group.
ours() {
  in_subscription resource list --resource-group "$group" --query "[?tags.\"vmr-gateway\"=='$environment'].id" --output tsv
}
left=""
has_group=$(in_subscription group exists --name "$group" --output tsv)
if [ "$has_group" = true ] && [ -z "${AZURE_RESOURCE_GROUP:-}" ]; then
  in_subscription group delete --name "$group" --yes || left=$group
elif [ "$has_group" = true ]; then
  ids=$(ours)
  # Children before parents, then the network, what its subnets refer to, and the rest of it.
  for id in $(printf '%s\n' "$ids" | sort -r | sed -E 's#.*/virtualNetworks/[^/]*$#1 &#; s#.*/natGateways/.*#2 &#
    s#.*/(networkSecurityGroups|publicIPAddresses)/.*#3 &#; s#^/#0 &#' | sort -s -k 1,1 | cut -d ' ' -f 2-); do
    in_subscription resource delete --ids "$id" --output none || true
  done
  left=$(ours)
fi

vaults=$(in_subscription keyvault list-deleted --resource-type vault --output tsv \
  --query "[?properties.tags.\"vmr-gateway\"=='$environment'].[name, properties.location, properties.purgeProtectionEnabled, properties.scheduledPurgeDate]")
printf '%s\n' "$vaults" | while IFS=$tab read -r vault location is_protected until; do
  case $vault/$is_protected in
    /*) ;;
    */[Tt]rue) echo "The protected vault $vault keeps its name until $until; az keyvault recover brings it back." >&2 ;;
    *) in_subscription keyvault purge --name "$vault" --location "$location" ;;
  esac
done
# The 13 characters of uniqueString follow the name, so those of test-2 are longer than those of test.
length=$((${#environment} + 23))
services=$(in_subscription apim deletedservice list --output tsv \
  --query "[?starts_with(name, 'apim-vmr-$environment-') && length(name) == \`$length\`].[name, location]")
printf '%s\n' "$services" | while IFS=$tab read -r service location; do
  [ -z "$service" ] || in_subscription apim deletedservice purge --service-name "$service" --location "$location"
done

[ -z "$left" ] || stop "Azure still has the following. Run it again, perhaps tomorrow:
$left"
echo "The gateway of $environment is gone."
