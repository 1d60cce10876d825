#!/bin/sh
# The first run of an environment in two phases: sh infra/scripts/first-run.sh production westeurope
# Phase 1 provisions, from anywhere. Phase 2 asks for secrets and deploys. In a private network phase 2 works only on a
# machine in the subnet that phase 1 has made: run the script there again, and it goes on where it stopped.
set -eu

name=${1:-}
location=${2:-}
parameters="infra/environments/$name.bicepparam"
if [ $# -ne 2 ] || [ ! -f "$parameters" ]; then
  echo "Say which environment, and where: sh infra/scripts/first-run.sh production westeurope" >&2
  exit 2
fi
deployment="vmr-gateway-$name"
package=${PACKAGE:-dist/vmr-gateway.zip}

state=$(az deployment sub list --query "[?name=='$deployment'].properties.provisioningState" --output tsv)
if [ "$state" = Succeeded ]; then
  echo "Phase 1 was completed by an earlier run ($deployment)."
else
  az deployment sub create --name "$deployment" --location "$location" --template-file infra/main.bicep \
    --parameters "$parameters" --output none
  echo "Phase 1 is complete ($deployment)."
fi

# Azure changes the case of the outputs' names, so they are compared without it.
outputs=$(az deployment sub show --name "$deployment" --output tsv \
  --query "[keys(properties.outputs), values(properties.outputs)[].value]")
output() {
  printf '%s\n' "$outputs" | awk -F '\t' -v name="$1" '
    NR == 1 { for (i = 1; i <= NF; i++) if (toupper($i) == name) column = i }
    NR == 2 { print $column }'
}
AZURE_RESOURCE_GROUP=$(output AZURE_RESOURCE_GROUP)
FUNCTION_APP_NAME=$(output FUNCTION_APP_NAME)
KEY_VAULT_NAME=$(output KEY_VAULT_NAME)
HEALTH_URL=$(output HEALTH_URL)
export AZURE_RESOURCE_GROUP FUNCTION_APP_NAME KEY_VAULT_NAME HEALTH_URL

if [ ! -f "$package" ]; then
  echo "Phase 2 needs the package $package. Build it (npm ci && npm run package), then run this again." >&2
  exit 1
fi
if ! sh infra/hooks/ask-missing-secrets.sh; then
  echo "Phase 2 stopped before anything was deployed. Run this again when the cause is removed." >&2
  exit 1
fi
az functionapp deployment source config-zip --resource-group "$AZURE_RESOURCE_GROUP" --name "$FUNCTION_APP_NAME" \
  --src "$package" --output none
sh infra/hooks/refresh-settings.sh
echo "Phase 2 is complete."
