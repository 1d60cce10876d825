/** What the Azure CLI accepts, so that a stub of it refuses what it refuses. */

/**
 * The options of each command that scripts and documents call, as the CLI's reference lists them
 * (https://learn.microsoft.com/cli/azure/reference-index). Those with `!` are required.
 */
const reference = `
ad signed-in-user show:
apim create: name resource-group publisher-email publisher-name sku-name
apim deletedservice list:
apim deletedservice purge: service-name! location! no-wait
bicep build-params: file! outfile stdout no-restore
bicep upgrade: target-platform
deployment group create: name resource-group! template-file parameters mode no-wait what-if validation-level
deployment group delete: name! resource-group! no-wait
deployment group what-if: name resource-group! template-file parameters mode no-pretty-print result-format validation-level
deployment sub create: name location! template-file parameters no-wait what-if validation-level
deployment sub what-if: name location! template-file parameters no-pretty-print result-format validation-level
functionapp config appsettings list: name! resource-group! slot
functionapp config appsettings set: name! resource-group! settings slot slot-settings
functionapp deployment source config-zip: name! resource-group! src! build-remote slot timeout
functionapp list: resource-group
functionapp list-flexconsumption-locations: zone-redundant details runtime
functionapp show: name! resource-group! slot
functionapp start: name! resource-group! slot
functionapp stop: name! resource-group! slot
group create: name! location! tags managed-by
group delete: name! yes no-wait force-deletion-types
group exists: name!
identity create: name! resource-group! location tags
identity federated-credential create: name! identity-name! resource-group! issuer subject audiences
identity show: name resource-group ids
keyvault list-deleted: resource-type
keyvault purge: name location hsm-name no-wait
keyvault recover: name location resource-group hsm-name no-wait
keyvault secret list: vault-name id include-managed maxresults
keyvault secret set: vault-name name value file encoding expires not-before content-type disabled tags
keyvault secret show: vault-name name id version
login:
monitor diagnostic-settings create: name! resource! resource-group resource-type workspace logs metrics storage-account
monitor diagnostic-settings delete: name! resource! resource-group resource-type
monitor log-analytics workspace list: resource-group
network bastion create: name! resource-group! vnet-name! public-ip-address sku enable-tunneling location
network bastion ssh: name! resource-group! auth-type! username ssh-key target-resource-id target-ip-address
network public-ip create: name! resource-group! sku location allocation-method
resource delete: ids name resource-group resource-type api-version no-wait
resource list: name resource-group resource-type location namespace tag
resource show: ids name resource-group resource-type api-version
rest: uri! method body headers resource
role assignment create: role! scope! assignee assignee-object-id assignee-principal-type condition condition-version
storage message clear: queue-name! account-name auth-mode
version:
vm create: name! resource-group! image size vnet-name subnet public-ip-address nsg admin-username generate-ssh-keys
vm show: name resource-group ids
`;

const rows = [...reference.matchAll(/^([\w -]+):(.*)$/gm)].map(([, command = "", options = ""]) => {
  const words = options.split(" ").filter((word) => word !== "");
  const names = [...words, "subscription", "output", "query"].map((word) => `--${word.replace("!", "")}`);
  const required = words.filter((word) => word.endsWith("!")).map((word) => `--${word.slice(0, -1)}`);
  return `"${command} ") known=" ${names.join(" ")} " required="${required.join(" ")}" ;;`;
});

/** Shell commands that end with 2, as the CLI does, unless `$@` is a call that it accepts. */
export const refuseUnknownCalls = `
refuse() { echo "az refuses this call: $1: $line" >&2; exit 2; }
command=""
for word; do case $word in -*) break ;; *) command="$command$word " ;; esac; done
case $command in
${rows.join("\n")}
*) refuse "no such command" ;;
esac
for word; do
  case $word in --[a-z]*) case $known in *" \${word%%=*} "*) ;; *) refuse "$word" ;; esac ;; esac
done
for option in $required; do case " $* " in *" $option"[=\\ ]*) ;; *) refuse "it lacks $option" ;; esac; done
case $command$* in
"resource list "*--tag*--resource-group* | "resource list "*--resource-group*--tag*) refuse "--tag with --resource-group" ;;
esac
`;
