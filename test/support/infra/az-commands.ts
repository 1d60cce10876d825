/** What the Azure CLI accepts, so that a stub of it refuses what it refuses. */

/**
 * The options of each command that the scripts call, as the CLI's reference lists them
 * (https://learn.microsoft.com/cli/azure/reference-index). Those with `!` are required.
 */
const reference = `
apim deletedservice list:
apim deletedservice purge: service-name! location! no-wait
bicep build-params: file! outfile stdout no-restore
deployment group create: name resource-group! template-file parameters mode no-wait what-if validation-level
deployment group what-if: name resource-group! template-file parameters mode no-pretty-print result-format validation-level
deployment sub create: name location! template-file parameters no-wait what-if validation-level
deployment sub what-if: name location! template-file parameters no-pretty-print result-format validation-level
functionapp config appsettings list: name! resource-group! slot
functionapp config appsettings set: name! resource-group! settings slot slot-settings
functionapp deployment source config-zip: name! resource-group! src! build-remote slot timeout
functionapp list: resource-group
group delete: name! yes no-wait force-deletion-types
group exists: name!
keyvault list-deleted: resource-type
keyvault purge: name location hsm-name no-wait
keyvault secret list: vault-name id include-managed maxresults
keyvault secret show: vault-name name id version
resource delete: ids name resource-group resource-type api-version no-wait
resource list: name resource-group resource-type location namespace tag
resource show: ids name resource-group resource-type api-version
rest: uri! method body headers resource
version:
`;

const rows = [...reference.matchAll(/^([\w -]+):(.*)$/gm)].map(([, command = "", options = ""]) => {
  const words = options.split(" ").filter((word) => word !== "");
  const names = [...words, "subscription", "output", "query"].map((word) => `--${word.replace("!", "")}`);
  const required = words.filter((word) => word.endsWith("!")).map((word) => `--${word.slice(0, -1)}`);
  return `"${command} ") known=" ${names.join(" ")} "; required="${required.join(" ")}" ;;`;
});

/** Shell commands that end with 2, as the CLI does, if it refuses the options in `$@`. */
export const refuseWrongOptions = `
refuse() { echo "az refuses $1: $line" >&2; exit 2; }
command=""
for word; do case $word in -*) break ;; *) command="$command$word " ;; esac; done
known=""; required=""
case $command in ${rows.join("\n")} esac
[ -z "$known" ] || for word; do
  case $word in --[a-z]*) case $known in *" \${word%%=*} "*) ;; *) refuse "$word" ;; esac ;; esac
done
for option in $required; do case " $* " in *" $option "*) ;; *) refuse "a call without $option" ;; esac; done
case $command$* in "resource list "*--resource-group*) case "$*" in *--tag*) refuse "--tag with a group" ;; esac ;; esac
`;
