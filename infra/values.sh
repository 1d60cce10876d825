# Reads the values of one environment, whose name is $environment, for deploy.sh and teardown.sh.
# shellcheck shell=sh disable=SC2015,SC2034,SC2154

stop() {
  echo "$1" >&2
  exit "${2:-1}"
}

# Each resource's name contains it, and Azure accepts nothing else in all of them.
printf '%s\n' "$environment" | grep -qxE '[a-z0-9]+(-[a-z0-9]+)*' && [ ${#environment} -ge 2 ] && [ ${#environment} -le 12 ] ||
  stop "The name of an environment is 2 to 12 of a to z, 0 to 9 and single inner hyphens, not '$environment'." 2

values="infra/environments/$environment.env"
[ -f "$values" ] || stop "There is no $values." 2
# Another environment's values may still be in the operator's shell.
# shellcheck disable=SC2046
unset AZURE_SUBSCRIPTION_ID AZURE_RESOURCE_GROUP REQUIRE_API_MANAGEMENT_SECRET \
  $(grep -o "readEnvironmentVariable('[A-Z_]*" infra/main.bicepparam | cut -d "'" -f 2)
set -a
# shellcheck source=/dev/null
. "./$values"
set +a
: "${AZURE_SUBSCRIPTION_ID:?is missing in $values}"
: "${AZURE_LOCATION:?is missing in $values}"
[ "${AZURE_ENV_NAME:-}" = "$environment" ] || stop "AZURE_ENV_NAME in $values is not $environment." 2
# A team without the right to create a group sets AZURE_RESOURCE_GROUP to an existing one.
group=${AZURE_RESOURCE_GROUP:-rg-vmr-gateway-$environment}
echo "Subscription $AZURE_SUBSCRIPTION_ID, group $group" >&2

tab=$(printf '\t')
in_subscription() { az "$@" --subscription "$AZURE_SUBSCRIPTION_ID"; }
