/**
 * What Azure adds to a resource when it is made, as far as the templates read it. The values are made up from the
 * resource's name, so a test sees which resource a value comes from. A property that is not here cannot be read.
 */
import type { ObjectValue } from "./values.ts";

const added: Readonly<Record<string, (name: string) => ObjectValue>> = {
  "Microsoft.ManagedIdentity/userAssignedIdentities": (name) => ({
    properties: { principalId: `principal of ${name}`, clientId: `client of ${name}` },
  }),
  "Microsoft.Storage/storageAccounts": (name) => ({
    properties: {
      primaryEndpoints: {
        blob: `https://${name}.blob.example.com/`,
        queue: `https://${name}.queue.example.com/`,
        table: `https://${name}.table.example.com/`,
      },
    },
  }),
  "Microsoft.KeyVault/vaults": (name) => ({
    properties: { vaultUri: `https://${name}.vault.example.com/` },
  }),
  "Microsoft.Web/sites": (name) => ({
    properties: { defaultHostName: `${name}.azurewebsites.example.com` },
  }),
  "Microsoft.ApiManagement/service": (name) => ({
    properties: { gatewayUrl: `https://${name}.azure-api.example.com` },
    identity: { principalId: `principal of ${name}` },
  }),
  "Microsoft.Insights/components": (name) => ({
    properties: { ConnectionString: `connection string of ${name}` },
  }),
  "Microsoft.Insights/dataCollectionRules": (name) => ({
    properties: {
      immutableId: `immutable id of ${name}`,
      endpoints: { logsIngestion: `https://${name}.ingest.example.com` },
    },
  }),
  "Microsoft.Network/publicIPAddresses": (name) => ({ properties: { ipAddress: `address of ${name}` } }),
};

/** What Azure adds to a resource of that type and name; nothing for the other types. */
export function runtimeProperties(type: string, name: string): ObjectValue {
  return added[type]?.(name) ?? {};
}
