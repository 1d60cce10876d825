/** The network of production: subnets, the fixed outbound address, and a private endpoint for every private service. */
import { describe, expect, it } from "vitest";
import { allOf, deployedWith, environments, onlyOf, propertiesOf } from "../support/infra/environments.ts";

const production = environments.production;
const network = onlyOf(production, "network");
const natGateway = onlyOf(production, "natGateway");

const networkSecurityGroup = { id: network.id.replace("virtualNetworks/", "networkSecurityGroups/nsg-") };
const subnet = (name: string, addressPrefix: string, delegatedTo: string[], more: object = {}) => ({
  name,
  properties: {
    addressPrefix,
    networkSecurityGroup,
    delegations: delegatedTo.map((serviceName) => ({ name: "delegation", properties: { serviceName } })),
    ...more,
  },
});
const fixedAddress = { natGateway: { id: natGateway.id } };

describe("The network", () => {
  it("Has a subnet each for the app, API Management, private endpoints and the runner", () => {
    expect(propertiesOf(network)).toEqual({
      addressSpace: { addressPrefixes: ["10.40.0.0/24"] },
      subnets: [
        subnet("app", "10.40.0.0/26", ["Microsoft.App/environments"], fixedAddress),
        subnet("api-management", "10.40.0.64/26", ["Microsoft.Web/serverFarms"]),
        subnet("private-endpoints", "10.40.0.128/26", []),
        subnet("runner", "10.40.0.192/26", [], fixedAddress),
      ],
    });
  });

  it("Lets the app out through one static address", () => {
    const address = onlyOf(production, "publicAddress");
    expect(propertiesOf(address)).toEqual({ publicIPAllocationMethod: "Static" });
    expect(propertiesOf(natGateway)).toEqual({
      idleTimeoutInMinutes: 4,
      publicIpAddresses: [{ id: address.id }],
    });
  });

  it("Exists without private endpoints if only the outbound address is asked for", () => {
    const deployment = deployedWith("test", { fixedOutboundAddress: true });
    expect(allOf(deployment, "privateEndpoint")).toEqual([]);
    expect(propertiesOf(onlyOf(deployment, "app"))["virtualNetworkSubnetId"]).toBe(
      `${onlyOf(deployment, "network").id}/subnets/app`,
    );
    expect(propertiesOf(onlyOf(deployment, "apiManagement"))["virtualNetworkType"]).toBe("None");
  });
});

const targets: Readonly<Record<string, readonly [zone: string, group: string, target: string]>> = {
  "pe-blob": ["privatelink.blob.core.windows.net", "blob", onlyOf(production, "storage").id],
  "pe-queue": ["privatelink.queue.core.windows.net", "queue", onlyOf(production, "storage").id],
  "pe-table": ["privatelink.table.core.windows.net", "table", onlyOf(production, "storage").id],
  "pe-vault": ["privatelink.vaultcore.azure.net", "vault", onlyOf(production, "vault").id],
  "pe-app": ["privatelink.azurewebsites.net", "sites", onlyOf(production, "app").id],
};

describe.each(Object.entries(targets))("The private endpoint %s", (name, [zone, group, target]) => {
  const endpoint = allOf(production, "privateEndpoint").find(({ ownName }) => ownName === name);
  const dnsZone = allOf(production, "dnsZone").find(({ ownName }) => ownName === zone);

  it("Leads to its service from the subnet of private endpoints", () => {
    expect(endpoint && propertiesOf(endpoint)).toEqual({
      subnet: { id: `${network.id}/subnets/private-endpoints` },
      privateLinkServiceConnections: [
        {
          name: name.replace("pe-", ""),
          properties: { privateLinkServiceId: target, groupIds: [group] },
        },
      ],
    });
  });

  it("Is found by the service's name inside the network", () => {
    const link = allOf(production, "dnsLink").find(({ fields }) => fields.parentId === dnsZone?.id);
    expect(link && propertiesOf(link)).toEqual({
      registrationEnabled: false,
      virtualNetwork: { id: network.id },
    });
    const zoneGroup = allOf(production, "zoneGroup").find(({ fields }) => fields.parentId === endpoint?.id);
    expect(zoneGroup && propertiesOf(zoneGroup)).toEqual({
      privateDnsZoneConfigs: [
        { name: name.replace("pe-", ""), properties: { privateDnsZoneId: dnsZone?.id } },
      ],
    });
  });
});
