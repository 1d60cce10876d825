#!/bin/sh
# Asks for each value of the azd environment that infra/main.bicepparam needs, before anything is provisioned.
set -eu

# Name, then what it is. Values that may be left out are in docs/deployment.md.
values='ENVIRONMENT_GROUP|development, test or production
PLATFORM_URL|address of the conferencing platform, https://platform.example.com
ROOM_TEMPLATE|JSON of the fields that every room gets, {} for none; without aliases of the contact centre rooms never dial it
MAX_VMR|number of rooms in a full pool
POOL_MINIMUM|number of rooms below which the pool is refilled
CONTACT_CENTRE_API_URL|address of the contact centre API, https://api.mypurecloud.de
CONTACT_CENTRE_DIVISION_IDS|ids of the divisions whose agents may look rooms up, separated by commas
EVENT_SINK_USERNAME|user name with which the platform sends events
AUTH_TENANT_ID|id of the directory tenant whose tokens are accepted
AUTH_AUDIENCES|audiences of these tokens, separated by commas
AUTH_CLIENT_IDS|ids of the client applications, separated by commas
PUBLISHER_NAME|name of your team, shown by API Management
PUBLISHER_EMAIL|address of your team
WIDGET_ORIGINS|origins of the pages that agents use, separated by commas
URGENT_EMAILS|addresses that are told of urgent alerts, separated by commas
ROUTINE_EMAILS|addresses that are told of other alerts, separated by commas'

missing=""
names=$(printf '%s\n' "$values" | cut -d '|' -f 1)
for name in $names; do
  eval "value=\${$name:-}"
  [ -n "$value" ] || missing="$missing $name"
done
# One log-in to the platform is needed, by either name.
if [ -z "${PLATFORM_USERNAME:-}${PLATFORM_OAUTH_CLIENT_ID:-}" ]; then missing="$missing PLATFORM_USERNAME"; fi
[ -z "$missing" ] && exit 0

meaning() {
  if [ "$1" = PLATFORM_USERNAME ]; then
    echo "account on the platform (or set PLATFORM_OAUTH_CLIENT_ID instead)"
  else
    printf '%s\n' "$values" | sed -n "s/^$1|//p"
  fi
}

if [ ! -t 0 ]; then
  echo "These values are missing. Set each with: azd env set NAME VALUE" >&2
  for name in $missing; do echo "  $name: $(meaning "$name")" >&2; done
  exit 1
fi

for name in $missing; do
  printf '%s (%s): ' "$name" "$(meaning "$name")" >&2
  read -r value
  azd env set "$name" "$value"
done
