/** The function app and its plan: runtime, scale, ways in. */
import { describe, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import {
  allOf,
  bodyOf,
  deployedWith,
  environmentNames,
  environments,
  onlyOf,
  propertiesOf,
} from "../support/infra/environments.ts";

describe.each(environmentNames)("The app of the %s environment", (name) => {
  const deployment = environments[name];
  const isProduction = name === "production";
  const app = onlyOf(deployment, "app");
  const plan = onlyOf(deployment, "plan");

  it("Has these properties and no others", () => {
    const identityId = onlyOf(deployment, "identity").id;
    const storage = onlyOf(deployment, "storage").fields.name;
    expect(propertiesOf(app)).toEqual({
      serverFarmId: plan.id,
      httpsOnly: true,
      publicNetworkAccess: isProduction ? "Disabled" : "Enabled",
      keyVaultReferenceIdentity: identityId,
      ...(isProduction && { virtualNetworkSubnetId: `${onlyOf(deployment, "network").id}/subnets/app` }),
      siteConfig: {
        minTlsVersion: "1.2",
        ftpsState: "Disabled",
        ...(name === "development" && { cors: { allowedOrigins: ["https://widget-dev.example.com"] } }),
      },
      functionAppConfig: {
        deployment: {
          storage: {
            type: "blobContainer",
            value: `https://${storage}.blob.example.com/app-package`,
            authentication: {
              type: "UserAssignedIdentity",
              userAssignedIdentityResourceId: identityId,
            },
          },
        },
        runtime: { name: "node", version: manifest.engines.node.replace(">=", "") },
        scaleAndConcurrency: {
          instanceMemoryMB: 2048,
          maximumInstanceCount: 4,
          alwaysReady: isProduction ? [{ name: "http", instanceCount: 1 }] : [],
          triggers: { http: { perInstanceConcurrency: 16 } },
        },
      },
    });
  });

  it("Is a Linux function app with one identity, which azd finds as the service of azure.yaml", () => {
    const userAssignedIdentities = { [onlyOf(deployment, "identity").id]: {} };
    expect(bodyOf(app)["kind"]).toBe("functionapp,linux");
    expect(bodyOf(app)["identity"]).toEqual({ type: "UserAssigned", userAssignedIdentities });
    const { tags } = Object(app.fields.body);
    expect(tags).toMatchObject({ "azd-service-name": "app" });
  });

  it("Runs on Flex Consumption", () => {
    expect(bodyOf(plan)).toEqual({
      kind: "functionapp",
      sku: { name: "FC1", tier: "FlexConsumption" },
      properties: { reserved: true },
    });
  });

  it("Takes no publishing password", () => {
    const channels = allOf(deployment, "publishingPassword");
    expect(channels.map(({ ownName, fields }) => [ownName, fields.parentId])).toEqual([
      ["ftp", app.id],
      ["scm", app.id],
    ]);
    expect(channels.map(propertiesOf)).toEqual([{ allow: false }, { allow: false }]);
  });
});

it("The parameters of scale reach the app, each its own property", () => {
  const app = onlyOf(
    deployedWith("test", {
      instanceMemoryMb: 4096,
      maximumInstanceCount: 7,
      alwaysReadyHttpInstances: 3,
      httpConcurrency: 9,
    }),
    "app",
  );
  const { scaleAndConcurrency } = Object(propertiesOf(app)["functionAppConfig"]);
  expect(scaleAndConcurrency).toEqual({
    instanceMemoryMB: 4096,
    maximumInstanceCount: 7,
    alwaysReady: [{ name: "http", instanceCount: 3 }],
    triggers: { http: { perInstanceConcurrency: 9 } },
  });
});
