#!/bin/sh
# Asks for each secret that the app's settings refer to and the vault does not hold yet, between provisioning and
# deploying. Why a script: a secret in a Bicep parameter would stay readable in the deployment's history.
set -eu

: "${KEY_VAULT_NAME:?is an output of the deployment}"
: "${AZURE_RESOURCE_GROUP:?is an output of the deployment}"
: "${FUNCTION_APP_NAME:?is an output of the deployment}"
# A role that was just assigned takes some minutes to hold.
tries=${VAULT_TRIES:-10}
pause=${VAULT_PAUSE_SECONDS:-30}

errors=$(mktemp)
trap 'rm -f "$errors"; [ ! -t 0 ] || stty echo' EXIT
trap 'exit 1' INT TERM

# Runs az. Tells a secret that is not there (status 3) from a failure, and waits for a role that does not hold yet.
vault() {
  try=1
  while :; do
    status=0
    az keyvault secret "$@" --vault-name "$KEY_VAULT_NAME" --output none 2>"$errors" || status=$?
    [ "$status" -eq 0 ] && return 0
    if [ "$status" -eq 3 ] || grep -q SecretNotFound "$errors"; then return 3; fi
    if ! grep -q ForbiddenByRbac "$errors" || [ "$try" -ge "$tries" ]; then break; fi
    echo "The vault refuses access; a new role takes some minutes. Try $try of $tries." >&2
    try=$((try + 1))
    sleep "$pause"
  done
  cat "$errors" >&2
  if grep -q ForbiddenByRbac "$errors"; then
    echo "You need the role Key Vault Secrets Officer on $KEY_VAULT_NAME (parameter secretOfficerPrincipalId)." >&2
  elif grep -qE 'ForbiddenByConnection|ForbiddenByFirewall|resolve|Max retries' "$errors"; then
    echo "The vault $KEY_VAULT_NAME is reached from inside its network only: run this on a machine in the subnet runner." >&2
  else
    echo "The vault $KEY_VAULT_NAME could not be asked. Are you logged in (az login) to the right subscription?" >&2
  fi
  exit 1
}

holds() {
  found=0
  vault show --name "$1" || found=$?
  [ "$found" -eq 0 ]
}

# The secret that API Management sends to the app: nobody needs to know it, so it is made here.
if ! holds API-MANAGEMENT-SECRET; then
  head -c 32 /dev/urandom | base64 | tr -d '\n' | vault set --name API-MANAGEMENT-SECRET --file /dev/stdin
fi

references=$(az functionapp config appsettings list --resource-group "$AZURE_RESOURCE_GROUP" \
  --name "$FUNCTION_APP_NAME" --query "[?contains(value, '@Microsoft.KeyVault')].value" --output tsv)
missing=""
for secret in $(printf '%s\n' "$references" | sed -n 's|.*/secrets/\([A-Z-]*\)).*|\1|p' | sort); do
  holds "$secret" || missing="$missing $secret"
done
[ -z "$missing" ] && exit 0

# Without a person at the terminal nothing can be asked: say what to type and stop before the app is deployed.
if [ ! -t 0 ]; then
  echo "The vault $KEY_VAULT_NAME lacks:$missing. For each of them, with a file that does not end in a newline (printf %s):" >&2
  echo "  az keyvault secret set --vault-name $KEY_VAULT_NAME --name NAME --file FILE --output none" >&2
  exit 1
fi

for secret in $missing; do
  if [ "$secret" = PLATFORM-OAUTH-PRIVATE-KEY ]; then
    printf 'File with %s (PEM): ' "$secret" >&2
    read -r file
    vault set --name "$secret" --file "$file"
  else
    stty -echo
    printf '%s: ' "$secret" >&2
    read -r value
    stty echo
    echo >&2
    # Through a pipe and not as an argument, which every process of this computer could read.
    printf '%s' "$value" | vault set --name "$secret" --file /dev/stdin
  fi
done
