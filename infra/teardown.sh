#!/bin/sh
# Deletes an environment and frees the names that Azure would keep: sh infra/teardown.sh test
# Deletes the group if provisioning created it. In an existing group (AZURE_RESOURCE_GROUP), deletes only the resources with
# the gateway's tag. If it stops, run it again.
set -eu

values="infra/environments/${1:-}.env"
if [ $# -ne 1 ] || [ ! -f "$values" ]; then
  echo "Name the environment, as in infra/environments: sh infra/teardown.sh test" >&2
  exit 2
fi
set -a
# shellcheck source=/dev/null
. "./$values"
set +a
: "${AZURE_SUBSCRIPTION_ID:?is missing in $values}"
: "${AZURE_ENV_NAME:?is missing in $values}"
group=${AZURE_RESOURCE_GROUP:-rg-vmr-gateway-$AZURE_ENV_NAME}

in_subscription() { az "$@" --subscription "$AZURE_SUBSCRIPTION_ID"; }

if [ "${TEARDOWN_CONFIRM:-}" != "$AZURE_ENV_NAME" ]; then
  echo "This deletes the gateway of $AZURE_ENV_NAME in $group, with its queues and secrets. Empty the pool first" >&2
  echo "(DELETE /room/bulk/ until 204): afterwards nobody knows which rooms were its own." >&2
  echo "To go on: TEARDOWN_CONFIRM=$AZURE_ENV_NAME sh infra/teardown.sh $1" >&2
  exit 2
fi

if [ -n "${EXISTING_API_MANAGEMENT_ID:-}" ]; then
  in_subscription resource delete --ids "$EXISTING_API_MANAGEMENT_ID/apis/vmr-gateway-$AZURE_ENV_NAME" \
    --api-version 2024-05-01 || echo "The API in $EXISTING_API_MANAGEMENT_ID is gone already." >&2
fi

ours() {
  in_subscription resource list --resource-group "$group" --tag "vmr-gateway=$AZURE_ENV_NAME" --query "[].id" --output tsv
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
  fi
fi

tab=$(printf '\t')
in_subscription keyvault list-deleted --resource-type vault --output tsv \
  --query "[?properties.tags.\"vmr-gateway\"=='$AZURE_ENV_NAME'].[name, properties.location, properties.purgeProtectionEnabled, properties.scheduledPurgeDate]" |
  while IFS=$tab read -r vault location is_protected until; do
    case $is_protected in
      [Tt]rue) echo "The protected vault $vault keeps its name until $until; az keyvault recover brings it back." >&2 ;;
      *) in_subscription keyvault purge --name "$vault" --location "$location" ;;
    esac
  done
in_subscription apim deletedservice list --output tsv \
  --query "[?starts_with(name, 'apim-vmr-$AZURE_ENV_NAME-')].[name, location]" |
  while IFS=$tab read -r service location; do
    in_subscription apim deletedservice purge --service-name "$service" --location "$location"
  done
echo "The gateway of $AZURE_ENV_NAME is gone."
