#!/bin/sh
# Deploys an environment, by hand or from the workflow: sh infra/deploy.sh provision test
set -eu

usage() {
  cat >&2 <<'TEXT'
sh infra/deploy.sh provision <environment>          creates or changes the resources; works from anywhere
sh infra/deploy.sh what-if <environment>            shows what provision would change; needs no right to write
sh infra/deploy.sh check <environment>              names the secrets that the vault lacks
sh infra/deploy.sh release <environment> <package>  deploys a package whose checksum is in <package>.sha256
sh infra/deploy.sh reload <environment>             lets the app read secrets that have changed
The values are in infra/environments/<environment>.env. check, release and reload must reach the
vault, release and reload also the app.
TEXT
  exit 2
}

command=${1:-}
environment=${2:-}
package=${3:-}
values="infra/environments/$environment.env"
case $command in
  provision | what-if | check | reload) [ $# -eq 2 ] || usage ;;
  release) [ $# -eq 3 ] || usage ;;
  *) usage ;;
esac
# azd has loaded the values already: it calls this script with the name of its own environment.
if [ -f "$values" ]; then
  set -a
  # shellcheck source=/dev/null
  . "./$values"
  set +a
elif [ -z "${AZURE_ENV_NAME:-}" ]; then
  echo "There is no $values." >&2
  exit 2
fi
: "${AZURE_SUBSCRIPTION_ID:?is missing in $values}"
: "${AZURE_ENV_NAME:?is missing in $values}"
: "${AZURE_LOCATION:?is missing in $values}"
# A team without the right to create a group sets AZURE_RESOURCE_GROUP to an existing one.
group=${AZURE_RESOURCE_GROUP:-rg-vmr-gateway-$AZURE_ENV_NAME}

in_subscription() { az "$@" --subscription "$AZURE_SUBSCRIPTION_ID"; }

# Calls `az deployment` with the given command, for the subscription or for the existing group.
deployment() {
  if [ -z "${AZURE_RESOURCE_GROUP:-}" ]; then
    in_subscription deployment sub "$@" --name "vmr-gateway-$AZURE_ENV_NAME" --location "$AZURE_LOCATION" \
      --parameters infra/main.bicepparam
  else
    parameters=$(mktemp)
    az bicep build-params --file infra/main.bicepparam --outfile "$parameters"
    in_subscription deployment group "$@" --name vmr-gateway --resource-group "$group" \
      --template-file infra/gateway.bicep --parameters "@$parameters"
    rm -f "$parameters"
  fi
}

if [ "$command" = provision ]; then
  deployment create --output none
  echo "$group is provisioned. Next: set the secrets, then release (docs/deployment.md)."
  exit 0
fi
if [ "$command" = what-if ]; then
  # The default validation level requires the right to write each resource.
  deployment what-if --validation-level ProviderNoRbac --no-pretty-print
  exit 0
fi

output() {
  in_subscription deployment group show --resource-group "$group" --name vmr-gateway \
    --query "properties.outputs.$1.value" --output tsv
}
app=$(output FUNCTION_APP_NAME)
vault=$(output KEY_VAULT_NAME)
health=$(output HEALTH_URL)
url=${health%/public/health}
if [ -z "$app" ] || [ -z "$vault" ] || [ -z "$health" ]; then
  echo "$group has no outputs of a finished deployment. Provision first." >&2
  exit 1
fi

# The vault must have each secret that the settings refer to; otherwise, the app would start without it.
references=$(in_subscription functionapp config appsettings list --resource-group "$group" --name "$app" \
  --query "[?contains(value, '@Microsoft.KeyVault')].value" --output tsv)
if ! held=$(in_subscription keyvault secret list --vault-name "$vault" --query "[?attributes.enabled].name" --output tsv); then
  echo "The vault $vault cannot be read. In a private network, run this on the runner. A new role takes some minutes." >&2
  exit 1
fi
missing=""
newest=""
for secret in $(printf '%s\n' "$references" | sed -n 's|.*/secrets/\([A-Z-]*\)).*|\1|p' | sort); do
  if printf '%s\n' "$held" | grep -qx "$secret"; then
    id=$(in_subscription keyvault secret show --vault-name "$vault" --name "$secret" --query id --output tsv)
    newest="$newest ${id##*/}"
  else
    missing="$missing $secret"
  fi
done
if [ -n "$missing" ]; then
  echo "The vault $vault lacks:$missing. Nothing was deployed. For each of them:" >&2
  echo "  az keyvault secret set --vault-name $vault --name NAME --file FILE --expires DATE --output none" >&2
  exit 1
fi

[ "$command" != check ] || exit 0

if [ "$command" = release ]; then
  (cd "$(dirname "$package")" && sha256sum --check --quiet "$(basename "$package").sha256") || {
    echo "$package is not the package that was tested. Nothing was deployed." >&2
    exit 1
  }
  in_subscription functionapp deployment source config-zip --resource-group "$group" --name "$app" --src "$package" \
    --output none
fi

# The app resolves a setting's secret at most once a day. Reading the secrets again restarts the app, so this is done only
# if one has changed.
site="/subscriptions/$AZURE_SUBSCRIPTION_ID/resourceGroups/$group/providers/Microsoft.Web/sites/$app"
used=$(az rest --method get --uri "$site/config/configreferences/appsettings?api-version=2022-03-01" \
  --query "value[?properties.status=='Resolved'].properties.activeVersion" --output tsv)
for version in $newest; do
  case $used in
    *"$version"*) ;;
    *)
      echo "A secret has changed: the app reads all of them again."
      az rest --method post --output none \
        --uri "$site/config/configreferences/appsettings/refresh?api-version=2022-03-01"
      in_subscription functionapp restart --resource-group "$group" --name "$app"
      break
      ;;
  esac
done

tries=${HEALTH_TRIES:-40}
while [ "$tries" -gt 0 ]; do
  # Pause first, because the instance that is being replaced may still respond.
  sleep "${HEALTH_PAUSE_SECONDS:-15}"
  tries=$((tries - 1))
  if body=$(curl --fail --silent --max-time 30 "$health"); then
    case $body in *'"alive"'*) break ;; esac
  fi
  if [ "$tries" -eq 0 ]; then
    echo "$health does not respond. Look for 'Invalid settings' in AppTraces and AppExceptions." >&2
    exit 1
  fi
done
status=$(curl --silent --output /dev/null --write-out '%{http_code}' --max-time 30 "$url/room/list" || true)
if [ "$status" != 401 ]; then
  echo "$url/room/list without a token returned $status instead of 401." >&2
  exit 1
fi
echo "$url is alive, and refuses calls without a token."
