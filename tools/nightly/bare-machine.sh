#!/bin/sh
# Runs npm ci and npm test on HEAD as on somebody else's computer: with the usual small programs of a shell, git, Node and
# npm only, as an unprivileged user, in a folder with an unusual name, with the variables of a developer, and with the
# environments of a team instead of the examples.
set -eu
programs="sh git node npm basename cat chmod cp cut date dirname env grep head ls mkdir mktemp mv rm rmdir sed
  sha256sum sleep sort tail touch tr uname wc"
# Only Linux shows its processes as files, and macOS may have shasum instead of sha256sum.
[ -d /proc/self ] || programs="$programs ps shasum"

folder=$(mktemp -d "${TMPDIR:-/tmp}/Vermittlung für Räume [1] XXXXXX")
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin" "$folder/home" "$folder/tmp"
# npm run puts the folders of the project's packages first, which contain Node 24.
PATH=$(printf %s "$PATH" | tr : '\n' | grep -v node_modules | tr '\n' :)
for program in $programs; do
  path=$(command -v "$program") && ln -s "$path" "$folder/bin/$program"
done
git clone --quiet . "$folder/gateway"
cd "$folder/gateway"

# The examples are gone: a production without what is optional, and an environment with OAuth and limits of its own.
rm infra/environments/*
sed "s/=production$/=live/; /POOL_MINIMUM/d; /SERVICE_TAG_BASE_URL/d; /^[A-Z]*_PHONES/,\$d" \
  test/infra/fixtures/production.env >infra/environments/live.env
cp test/infra/fixtures/existing.env infra/environments/

# What npm needs to reach its registry stays.
set -- env -i PATH="$folder/bin" HOME="$folder/home" TMPDIR="$folder/tmp" LC_ALL=tr_TR.UTF-8 TZ=America/St_Johns \
  HTTPS_PROXY="${HTTPS_PROXY:-}" NODE_EXTRA_CA_CERTS="${NODE_EXTRA_CA_CERTS:-}" \
  npm_config_registry="$(npm config get registry)" npm_config_omit=optional NODE_ENV=production \
  sh -euc '
    npm ci
    # A debug terminal, colours, and a proxy whose certificates nobody checks.
    export NODE_OPTIONS=--inspect=127.0.0.1:0 FORCE_COLOR=1 NO_COLOR=1 NODE_TLS_REJECT_UNAUTHORIZED=0
    npm test'
if [ "$(id -u)" = 0 ]; then
  chown -R 65534:65534 "$folder"
  set -- setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
fi
"$@"
