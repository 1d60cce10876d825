#!/bin/sh
# Asks for each secret that the vault does not hold yet, between `azd provision` and `azd deploy`.
# Why a script: a secret in a Bicep parameter would stay readable in the deployment's history.
set -eu

: "${KEY_VAULT_NAME:?is an output of azd provision}"

required="ROOM-HOST-PIN EVENT-SINK-PASSWORD"
if [ -n "${PLATFORM_USERNAME:-}" ]; then
  required="$required PLATFORM-PASSWORD"
else
  required="$required PLATFORM-OAUTH-PRIVATE-KEY"
fi

missing=""
for secret in $required; do
  if ! az keyvault secret show --vault-name "$KEY_VAULT_NAME" --name "$secret" --query id --output none; then
    missing="$missing $secret"
  fi
done
[ -z "$missing" ] && exit 0

# Without a person at the terminal nothing can be asked: say what to type and stop before the app is deployed.
if [ ! -t 0 ]; then
  echo "The vault $KEY_VAULT_NAME lacks:$missing. For each of them:" >&2
  echo "  az keyvault secret set --vault-name $KEY_VAULT_NAME --name NAME --file FILE --output none" >&2
  exit 1
fi

trap 'stty echo' EXIT INT TERM
for secret in $missing; do
  if [ "$secret" = PLATFORM-OAUTH-PRIVATE-KEY ]; then
    printf 'File with %s (PEM): ' "$secret" >&2
    read -r file
    az keyvault secret set --vault-name "$KEY_VAULT_NAME" --name "$secret" --file "$file" --output none
  else
    stty -echo
    printf '%s: ' "$secret" >&2
    read -r value
    stty echo
    echo >&2
    # Through a pipe and not as an argument, which every process of this computer could read.
    printf '%s' "$value" | az keyvault secret set --vault-name "$KEY_VAULT_NAME" --name "$secret" --file /dev/stdin --output none
  fi
done
