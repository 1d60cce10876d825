#!/bin/sh
# Lets the app read its secrets again, and waits until its health answers at the address that callers use. Neither
# provisioning nor deploying does it: a reference that was set before its secret existed stays unresolved for a day.
set -eu

: "${AZURE_RESOURCE_GROUP:?is an output of the deployment}"
: "${FUNCTION_APP_NAME:?is an output of the deployment}"
: "${HEALTH_URL:?is an output of the deployment}"
tries=${HEALTH_TRIES:-40}
pause=${HEALTH_PAUSE_SECONDS:-15}

id=$(az functionapp show --resource-group "$AZURE_RESOURCE_GROUP" --name "$FUNCTION_APP_NAME" --query id --output tsv)
az rest --method post --output none \
  --uri "https://management.azure.com$id/config/configreferences/appsettings/refresh?api-version=2022-03-01"
az functionapp restart --resource-group "$AZURE_RESOURCE_GROUP" --name "$FUNCTION_APP_NAME"

try=1
while [ "$try" -le "$tries" ]; do
  # The app that is being stopped may answer once more: the first pause lets it go.
  sleep "$pause"
  if body=$(curl --fail --silent --max-time 30 "$HEALTH_URL"); then
    case $body in
      *'"alive"'*)
        echo "$HEALTH_URL answers: $body"
        exit 0
        ;;
    esac
  fi
  try=$((try + 1))
done
echo "$HEALTH_URL did not answer. Look for 'Invalid settings' in AppTraces, AppExceptions or FunctionAppLogs:" >&2
echo "a secret may be missing or end in a newline. docs/operations.md, First deployment, says what else it may be." >&2
exit 1
