#!/bin/sh
# Deletes one environment and frees its names for the next deployment: infra/scripts/teardown.sh test
# A deleted vault blocks its name for days and a deleted API Management service for two: both are purged.
set -eu

name=${1:-}
if [ $# -ne 1 ] || [ -z "$name" ]; then
  echo "Say which environment, by the name in its resource group: infra/scripts/teardown.sh test" >&2
  exit 2
fi
group="rg-vmr-gateway-$name"

if [ "${TEARDOWN_CONFIRM:-}" != "$group" ]; then
  if [ ! -t 0 ]; then
    echo "Set TEARDOWN_CONFIRM=$group to delete it without being asked." >&2
    exit 2
  fi
  echo "This deletes $group with its queues and secrets. Empty the pool first (DELETE /room/bulk/): afterwards nobody" >&2
  printf 'knows which rooms of the platform were its own. Type %s to go on: ' "$group" >&2
  read -r typed
  [ "$typed" = "$group" ] || exit 1
fi

exists=$(az group exists --name "$group" --output tsv)
if [ "$exists" = true ]; then
  locks=$(az lock list --resource-group "$group" --query "[].id" --output tsv)
  for lock in $locks; do az lock delete --ids "$lock"; done
  az group delete --name "$group" --yes
else
  echo "There is no $group; what is left of it is purged." >&2
fi

tab=$(printf '\t')
vaults=$(az keyvault list-deleted --resource-type vault --output tsv \
  --query "[?contains(properties.vaultId, '/resourceGroups/$group/')].[name, properties.location, properties.purgeProtectionEnabled, properties.scheduledPurgeDate]")
printf '%s\n' "$vaults" | while IFS=$tab read -r vault location isProtected until; do
  if [ -z "$vault" ]; then continue; fi
  if [ "$isProtected" = true ] || [ "$isProtected" = True ]; then
    echo "The vault $vault is protected and keeps its name until $until; az keyvault recover brings it back." >&2
  else
    az keyvault purge --name "$vault" --location "$location"
  fi
done

services=$(az apim deletedservice list --output tsv \
  --query "[?contains(serviceId, '/resourceGroups/$group/')].[name, location]")
printf '%s\n' "$services" | while IFS=$tab read -r service location; do
  if [ -z "$service" ]; then continue; fi
  az apim deletedservice purge --service-name "$service" --location "$location"
done
echo "$group is gone."
