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
  [ -z "${REQUIRE_API_MANAGEMENT_SECRET:-}" ] ||
    stop "REQUIRE_API_MANAGEMENT_SECRET was withdrawn. To close the app to calls that bypass API Management, set PRIVATE_NETWORK=true (docs/deployment.md says what it costs)."
  case ${PRIVATE_NETWORK:-}/${API_MANAGEMENT:-none}/${PUBLIC_URL_OF_CONSUMERS:-} in
    true/none/) stop "PRIVATE_NETWORK needs API_MANAGEMENT, or the PUBLIC_URL_OF_CONSUMERS that leads to the closed app." ;;
  esac
  case ${NETWORK_ADDRESS_PREFIX:-} in
    */2[4-9] | */3?) stop "NETWORK_ADDRESS_PREFIX is too small for the subnets: /23 or larger." ;;
  esac
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
    # Azure keeps such a deployment in its region, also after its group is gone.
    in_subscription deployment sub "$@" --name "vmr-gateway-$environment-$AZURE_LOCATION" --location "$AZURE_LOCATION" \
      --parameters infra/main.bicepparam
  else
    parameters=$(mktemp)
    trap 'rm -f "$parameters"' EXIT
    az bicep build-params --file infra/main.bicepparam --outfile "$parameters"
    in_subscription deployment group "$@" --name "vmr-gateway-$environment" --resource-group "$group" \
      --template-file infra/gateway.bicep --parameters "@$parameters"
  fi
}

list_settings() {
  in_subscription functionapp config appsettings list --resource-group "$group" --name "$app" --query "$1" --output tsv
}

# Sets `app`, `health` and `vault`, and prints them for operators. It reads the app, because Azure has no outputs of a deployment
# that failed, and deletes the records of old ones.
find_app() {
  row=$(in_subscription functionapp list --resource-group "$group" --output tsv \
    --query "[?tags.\"vmr-gateway\"=='$environment'].[name, tags.\"vmr-gateway-health\"]")
  app=${row%%"$tab"*}
  health=${row#*"$tab"}
  [ -n "$app" ] || stop "$group has no app of $environment. Provision first."
  case $health in
    *[[:space:]]*) stop "$group has several apps of $environment. Tear the environment down." ;;
    http*) ;;
    *) stop "The app $app does not name its health check. Provision once." ;;
  esac
  references=$(list_settings "[?contains(value, '@Microsoft.KeyVault')].value")
  vault=$(printf '%s\n' "$references" | sed -n '1s|.*SecretUri=https://\([^.]*\).*|\1|p')
  [ -n "$vault" ] || stop "The app $app has no settings yet. Provision first."
  printf '%s\n' "FUNCTION_APP_NAME=$app" "KEY_VAULT_NAME=$vault" "HEALTH_URL=$health"
}

case $command in
  validate)
    check_values
    az bicep build-params --file infra/main.bicepparam --stdout >/dev/null
    exit 0
    ;;
  what-if)
    check_values
    # The default validation level requires the right to write each resource.
    deployment what-if --validation-level ProviderNoRbac --no-pretty-print
    exit 0
    ;;
  provision)
    check_values
    deployment create --output none
    find_app
    exit 0
    ;;
esac

find_app
settings_list=$(cat infra/settings.txt)
build=""
if [ -n "$package" ]; then
  sum=$(command -v sha256sum || echo "shasum --algorithm 256")
  (cd "$(dirname "$package")" && $sum --check "$(basename "$package").sha256" >/dev/null) ||
    stop "$package is not the package that was tested. Nothing was deployed."
  { settings_list=$(unzip -p "$package" settings.txt) && build=$(unzip -p "$package" build.txt); } ||
    stop "$package has no settings.txt or build.txt. Nothing was deployed."
fi

# The vault must have each secret that the settings refer to; otherwise, the app would start without it.
needed=$(printf '%s\n' "$references" | sed -n 's|.*/secrets/\([A-Z-]*\)).*|\1|p')
if ! held=$(in_subscription keyvault secret list --vault-name "$vault" --query "[?attributes.enabled].name" --output tsv); then
  stop "The vault $vault cannot be read. In a private network, run this on the runner. A new role takes some minutes."
fi
find_missing "$(printf '%s\n' "$needed" | sort -u)" "$held"
if [ -n "$missing" ]; then
  echo "The vault $vault lacks:$missing. Nothing was deployed. For each of them:" >&2
  stop "  az keyvault secret set --vault-name $vault --name NAME --file FILE --expires DATE --output none"
fi

given=$(list_settings "[?name=='GIVEN_SETTING_NAMES'].value")
find_unknown "$(printf '%s' "$given" | tr ',' '\n')" "$settings_list"
[ -z "$unknown" ] || echo "The code does not know these settings, and logs settings-unknown:$unknown" >&2
provisioned=$(list_settings "[].name")
find_missing "$(printf '%s\n' "$settings_list" | sed -n 's/ required.*//p')" "$provisioned"
[ -z "$missing" ] || stop "The code requires settings that are not provisioned:$missing. Nothing was deployed."

[ "$command" != check ] || exit 0

if [ "$command" = release ]; then
  # Older ones wait for ever if the new host does not respond: https://github.com/Azure/azure-cli/pull/33388
  cli=$(az version --query '"azure-cli"' --output tsv)
  [ "$(printf '2.87.0\n%s\n' "$cli" | sort -t . -k 1,1n -k 2,2n | head -n 1)" = 2.87.0 ] ||
    stop "Azure CLI $cli is too old: at least 2.87.0 is needed. Nothing was deployed."
  # macOS may lack it.
  limit=$(command -v timeout >/dev/null && echo "timeout 900") || true
  $limit az functionapp deployment source config-zip --resource-group "$group" --name "$app" --src "$package" \
    --output none --subscription "$AZURE_SUBSCRIPTION_ID" ||
    stop "The upload failed or took more than 15 minutes."
fi

# The app resolves a setting's secret at most once a day. Reading the secrets again replaces the instances, so this is done
# only if one has changed.
site="/subscriptions/$AZURE_SUBSCRIPTION_ID/resourceGroups/$group/providers/Microsoft.Web/sites/$app"
used=$(az rest --method get --uri "$site/config/configreferences/appsettings?api-version=2022-03-01" \
  --query "value[?properties.status=='Resolved'].properties.activeVersion" --output tsv)
for secret in $needed; do
  id=$(in_subscription keyvault secret show --vault-name "$vault" --name "$secret" --query id --output tsv)
  case $used in
    *"${id##*/}"*) ;;
    *)
      echo "A secret has changed: the app reads all of them again." >&2
      az rest --method post --output none \
        --uri "$site/config/configreferences/appsettings/refresh?api-version=2022-03-01"
      # A new setting replaces instances as a release does. A restart would cut calls in flight. `provision` removes it.
      in_subscription functionapp config appsettings set --resource-group "$group" --name "$app" --output none \
        --settings "SECRETS_READ_AT=$(date -u +%Y-%m-%dT%H:%M:%SZ)"
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
  response=$(curl --fail --silent --include --max-time 5 "$health") || response=""
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
url=${health%/public/health}
status=$(curl --silent --output /dev/null --write-out '%{http_code}' --max-time 30 "$url/room/list" || true)
[ "$status" = 401 ] || stop "$url/room/list without a token returned $status instead of 401."
echo "$url is alive, and refuses calls without a token."
