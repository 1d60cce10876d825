#!/bin/sh
# Deploys an environment, by hand or from the workflow: sh infra/deploy.sh provision test
set -eu

usage() {
  cat >&2 <<'TEXT'
sh infra/deploy.sh validate <environment>           checks the values, without Azure
sh infra/deploy.sh what-if <environment>            shows what provision would change; needs no right to write
sh infra/deploy.sh provision <environment>          creates or changes the resources; works from anywhere
sh infra/deploy.sh check <environment> [<package>]  names missing secrets, and settings that do not fit the code
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
case $command in
  provision | what-if | validate | reload) [ $# -eq 2 ] || usage ;;
  check) [ $# -eq 2 ] || [ $# -eq 3 ] || usage ;;
  release) [ $# -eq 3 ] || usage ;;
  *) usage ;;
esac
# shellcheck source=infra/values.sh
. infra/values.sh

# Sets `unknown` to the given names that are not in a list like settings.txt, apart from those of the Functions host.
find_unknown() {
  unknown=""
  for name in $1; do
    case $name in AzureFunctions* | AzureWebJobs.* | FUNCTIONS_* | WEBSITE_*) continue ;; esac
    printf '%s\n' "$2" | grep -qx "$name \(required\|optional\)" || unknown="$unknown $name"
  done
}

# Sets `missing` to the given required names that are not among the other names.
find_missing() {
  missing=""
  for name in $1; do printf '%s\n' "$2" | grep -qx "$name" || missing="$missing $name"; done
}

check_values() {
  # shellcheck disable=SC2016
  given=$(node --print '
    const values = Object.entries(JSON.parse(process.env.GATEWAY_SETTINGS));
    const odd = values.filter(([, value]) => value === null || (typeof value === "number" && !Number.isInteger(value)));
    if (odd.length > 0) throw new Error(`GATEWAY_SETTINGS has null or a fraction: ${odd.map(([name]) => name)}`);
    values.map(([name]) => name).join("\n")' 2>&1) ||
    stop "$(printf '%s\n' "$given" | grep Error: || printf '%s' "$given")"
  find_unknown "$given" "$(cat infra/settings.txt)"
  [ -z "$unknown" ] || stop "GATEWAY_SETTINGS must not have:$unknown. infra/settings.txt says which settings come from elsewhere."
  find_missing "$(sed -n 's/ required$//p' infra/settings.txt)" "$given"
  [ -z "$missing" ] || stop "GATEWAY_SETTINGS lacks:$missing."
}

# Calls `az deployment` with the given command, for the subscription or for the existing group.
deployment() {
  if [ -z "${AZURE_RESOURCE_GROUP:-}" ]; then
    in_subscription deployment sub "$@" --name "vmr-gateway-$environment" --location "$AZURE_LOCATION" \
      --parameters infra/main.bicepparam
  else
    parameters=$(mktemp)
    trap 'rm -f "$parameters"' EXIT
    az bicep build-params --file infra/main.bicepparam --outfile "$parameters"
    in_subscription deployment group "$@" --name "vmr-gateway-$environment" --resource-group "$group" \
      --template-file infra/gateway.bicep --parameters "@$parameters"
  fi
}

output() {
  in_subscription deployment group show --resource-group "$group" --name "vmr-gateway-$environment" \
    --query "properties.outputs.$1.value" --output tsv
}

list_settings() {
  in_subscription functionapp config appsettings list --resource-group "$group" --name "$app" --query "$1" --output tsv
}

# In the first run, alerts would fire, and the vault lacks the secret that API Management sends. An app that does not start
# has no functions either, but it keeps the setting of that secret. A failed deployment has no outputs to ask for its name.
find_first_run() {
  export FIRST_RUN=true
  app=$(in_subscription functionapp list --resource-group "$group" --output tsv \
    --query "[?tags.\"vmr-gateway\"=='$environment'].name" 2>/dev/null) || return 0
  [ -n "$app" ] || return 0
  functions=$(in_subscription functionapp function list --resource-group "$group" --name "$app" \
    --query "[].name" --output tsv) || functions=unknown
  [ -z "$functions" ] || FIRST_RUN=false
  case $(list_settings "[].name" || true) in *API_MANAGEMENT_SECRET*) FIRST_RUN=false ;; esac
}

case $command in
  validate)
    check_values
    az bicep build-params --file infra/main.bicepparam --stdout >/dev/null
    exit 0
    ;;
  what-if)
    check_values
    find_first_run
    # The default validation level requires the right to write each resource.
    deployment what-if --validation-level ProviderNoRbac --no-pretty-print
    exit 0
    ;;
  provision)
    check_values
    find_first_run
    if [ -n "${AZURE_RESOURCE_GROUP:-}" ]; then
      # A resource without the tag is an empty line or None.
      others=$(in_subscription resource list --resource-group "$group" --query '[].tags."vmr-gateway"' --output tsv |
        sort -u | grep -vxE "|None|$environment" | paste -sd ' ' -) || others=""
      [ -z "$others" ] || echo "The group also has the environments: $others" >&2
    fi
    deployment create --output none
    app=$(output functionAppName)
    vault=$(output keyVaultName)
    health=$(output healthUrl)
    # For the operator and the workflow.
    printf '%s\n' "FUNCTION_APP_NAME=$app" "KEY_VAULT_NAME=$vault" "HEALTH_URL=$health" "FIRST_RUN=$FIRST_RUN"
    [ "$FIRST_RUN" = false ] ||
      echo "Without alerts so far. Next: check, set the secrets that it names, release, and provision once more." >&2
    exit 0
    ;;
esac

app=$(output functionAppName)
vault=$(output keyVaultName)
health=$(output healthUrl)
url=${health%/public/health}
if [ -z "$app" ] || [ -z "$vault" ] || [ -z "$health" ]; then
  stop "$group has no outputs of a finished deployment of $environment. Provision first."
fi
[ "$command" != check ] || printf '%s\n' "FUNCTION_APP_NAME=$app" "KEY_VAULT_NAME=$vault" "HEALTH_URL=$health"

settings_list=$(cat infra/settings.txt)
build=""
if [ -n "$package" ]; then
  sum=$(command -v sha256sum || echo "shasum --algorithm 256")
  (cd "$(dirname "$package")" && $sum --check "$(basename "$package").sha256" >/dev/null) ||
    stop "$package is not the package that was tested. Nothing was deployed."
  settings_list=$(unzip -p "$package" settings.txt) && build=$(unzip -p "$package" build.txt) ||
    stop "$package has no settings.txt or build.txt. Nothing was deployed."
fi

# The vault must have each secret that the settings refer to; otherwise, the app would start without it.
references=$(list_settings "[?contains(value, '@Microsoft.KeyVault')].value")
needed=$(printf '%s\n' "$references" | sed -n 's|.*/secrets/\([A-Z-]*\)).*|\1|p')
# The first run does not refer to it yet, the second needs it.
if [ "${REQUIRE_API_MANAGEMENT_SECRET:-}" = true ] && [ "${PRIVATE_NETWORK:-}" != true ] &&
  [ "${API_MANAGEMENT:-none}" != none ]; then
  needed="$needed
API-MANAGEMENT-SECRET"
fi
if ! held=$(in_subscription keyvault secret list --vault-name "$vault" --query "[?attributes.enabled].name" --output tsv); then
  stop "The vault $vault cannot be read. In a private network, run this on the runner. A new role takes some minutes."
fi
find_missing "$(printf '%s\n' "$needed" | sort -u)" "$held"
if [ -n "$missing" ]; then
  echo "The vault $vault lacks:$missing. Nothing was deployed. For each of them:" >&2
  stop "  az keyvault secret set --vault-name $vault --name NAME --file FILE --expires DATE --output none"
fi

find_unknown "$(list_settings "[?name=='GIVEN_SETTING_NAMES'].value" | tr ',' '\n')" "$settings_list"
[ -z "$unknown" ] || echo "The code does not know these settings, and logs settings-unknown:$unknown" >&2
find_missing "$(printf '%s\n' "$settings_list" | sed -n 's/ required.*//p')" "$(list_settings "[].name")"
[ -z "$missing" ] || stop "The code requires settings that are not provisioned:$missing. Nothing was deployed."

[ "$command" != check ] || exit 0

if [ "$command" = release ]; then
  # Older ones wait for ever if the new host does not respond: https://github.com/Azure/azure-cli/pull/33388
  cli=$(az version --query '"azure-cli"' --output tsv)
  [ "$(printf '2.87.0\n%s\n' "$cli" | sort -t . -k 1,1n -k 2,2n | head -n 1)" = 2.87.0 ] ||
    stop "Azure CLI $cli is too old: at least 2.87.0 is needed. Nothing was deployed."
  find_first_run
  # macOS may lack it.
  limit=$(command -v timeout >/dev/null && echo "timeout 900" || true)
  $limit az functionapp deployment source config-zip --resource-group "$group" --name "$app" --src "$package" \
    --output none --subscription "$AZURE_SUBSCRIPTION_ID" ||
    stop "The upload failed or took more than 15 minutes."
fi

# The app resolves a setting's secret at most once a day. Reading the secrets again restarts the app, so this is done only
# if one has changed.
site="/subscriptions/$AZURE_SUBSCRIPTION_ID/resourceGroups/$group/providers/Microsoft.Web/sites/$app"
used=$(az rest --method get --uri "$site/config/configreferences/appsettings?api-version=2022-03-01" \
  --query "value[?properties.status=='Resolved'].properties.activeVersion" --output tsv)
for secret in $(printf '%s\n' "$references" | sed -n 's|.*/secrets/\([A-Z-]*\)).*|\1|p'); do
  id=$(in_subscription keyvault secret show --vault-name "$vault" --name "$secret" --query id --output tsv)
  case $used in
    *"${id##*/}"*) ;;
    *)
      echo "A secret has changed: the app reads all of them again." >&2
      az rest --method post --output none \
        --uri "$site/config/configreferences/appsettings/refresh?api-version=2022-03-01"
      in_subscription functionapp restart --resource-group "$group" --name "$app"
      break
      ;;
  esac
done

# Instances are replaced one by one, so the old code responds for some minutes: the release has ended when only its build
# has responded for 60 s.
tries=${HEALTH_TRIES:-180}
quiet=0
while [ "$quiet" -lt 12 ]; do
  [ "$tries" -gt 0 ] || stop "$health: ${found:-no response}. Look for 'Invalid settings' in AppTraces and AppExceptions."
  tries=$((tries - 1))
  sleep 5
  response=$(curl --fail --silent --include --max-time 30 "$health") || response=""
  other=$(printf '%s\n' "$response" | tr -d '\r' | sed -n 's/^[Xx]-[Bb]uild: //p')
  case $response in
    *'"alive"'*) found="build $other responds, not only $build" ;;
    *) found="no response" ;;
  esac
  if [ "$found" != "no response" ] && { [ -z "$build" ] || [ "$other" = "$build" ]; }; then
    quiet=$((quiet + 1))
  else
    quiet=0
  fi
done
status=$(curl --silent --output /dev/null --write-out '%{http_code}' --max-time 30 "$url/room/list" || true)
[ "$status" = 401 ] || stop "$url/room/list without a token returned $status instead of 401."
echo "$url is alive, and refuses calls without a token."
if [ "$command" = release ] && [ "$FIRST_RUN" = true ]; then
  echo "This was the first release: provision once more, for the alerts and the secret of API Management." >&2
fi
