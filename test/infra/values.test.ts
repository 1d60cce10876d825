/** The values of an environment, as far as they can be judged without Azure. */
import { parseEnv } from "node:util";
import { expect, test } from "vitest";
import { findFaults } from "../../scripts/check-values/faults.ts";
import { numbers } from "../../scripts/check-values/numbers.ts";
import { fixtureOf, readText, scenarios } from "../../scripts/snapshots/inputs.ts";

// Not the files of infra/environments: those are the deployer's, and CI validates them.
const file = fixtureOf("test");
const read = (name: string) => parseEnv(readText(fixtureOf(name)));

test.each(scenarios)("The values of the fixture %s are accepted", (name) => {
  expect(findFaults(fixtureOf(name), read(name))).toEqual([]);
});

test.each([
  { more: '"MAX_VRM": 2', fault: "MAX_VRM: must not be given, see infra/settings.txt" },
  {
    more: '"AzureWebJobsStorage": "UseDevelopmentStorage=true"',
    fault: "AzureWebJobsStorage: must not be given",
  },
  { more: '"AzureWebJobsDashboard": "x"', fault: "AzureWebJobsDashboard: must not be given" },
  { more: '"ROOM_HOST_PIN": "2468"', fault: "ROOM_HOST_PIN: must not be given" },
  {
    more: '"WEBSITE_TIME_ZONE": "Europe/Berlin"',
    fault: "WEBSITE_TIME_ZONE: can break TLS and metrics on this plan",
  },
  {
    more: '"FUNCTIONS_WORKER_RUNTIME": "node"',
    fault: "FUNCTIONS_WORKER_RUNTIME: is the template's on this plan",
  },
  { more: '"TZ": "Europe/Berlin"', fault: "TZ: can break TLS and metrics on this plan" },
  { more: '"MAX_VMR": null', fault: "MAX_VMR: must not be null or a fraction" },
  { more: '"MAX_VMR": 20.5', fault: "MAX_VMR: must not be null or a fraction" },
  { more: '"MAX_VMR": "twenty"', fault: "Error: Invalid settings: MAX_VMR: must be a whole number" },
  { more: '"MAX_VMR" 20', fault: "SyntaxError: " },
])("The settings of test with $more are refused: $fault", ({ more, fault }) => {
  const values = read("test");
  const GATEWAY_SETTINGS = values["GATEWAY_SETTINGS"]?.replace(/\}$/, `, ${more} }`);
  const faults = findFaults(file, { ...values, GATEWAY_SETTINGS });
  expect(faults).toEqual([expect.stringContaining(`GATEWAY_SETTINGS: ${fault}`)]);
});

const id = "EXISTING_API_MANAGEMENT_ID";
const idOfSubnet = "must be such as /subscriptions/ID/resourceGroups/NAME/providers/Microsoft.Network/";
const idOfService = "must be such as /subscriptions/ID/resourceGroups/NAME/providers/TYPE/TYPE/NAME";

test.each([
  ["WIDGET_ORIGINS", "", "must be a comma-separated list"],
  ["WIDGET_ORIGINS", "*", "0: must be an absolute https URL"],
  ["WIDGET_ORIGINS", "https://a, https://B:443/", "1: must be written as https://b"],
  ["WIDGET_ORIGINS", "https://a.example.com/page", "0: must be a URL without a path"],
  ["PUBLIC_URL_OF_CONSUMERS", "a.example.com", "must be an absolute https URL"],
  ["PUBLIC_URL_OF_CONSUMERS", "https://a.example.com/v1/", "must be written as https://a.example.com/v1"],
  ["API_PATH", "/vmr", "must be such as video/rooms"],
  ["API_PATH", "vmr/", "must be such as video/rooms"],
  ["API_MANAGEMENT", "yes", 'Invalid option: expected one of "none"|"new"|"existing"'],
  ["API_MANAGEMENT", "", `${id}: belongs to API_MANAGEMENT=existing`],
  ["API_MANAGEMENT", "new", `${id}: belongs to API_MANAGEMENT=existing`],
  [id, "", `${id}: belongs to API_MANAGEMENT=existing, which needs it`],
  [id, "apim-shared", idOfService],
  [id, `${read("existing")[id]}/`, idOfService],
  ["EXISTING_WORKSPACE_ID", "log-central", idOfService],
  ["MAXIMUM_INSTANCE_COUNT", "1001", "must be a whole number from 1 to 1000"],
  ["MAXIMUM_INSTANCE_COUNT", "2", "ALWAYS_READY_HTTP_INSTANCES: must be at most MAXIMUM_INSTANCE_COUNT"],
  ["HTTP_CONCURRENCY", "99", "must be a whole number from 100 to 1000"],
  ["INSTANCE_MEMORY_MB", "1024", "must be 512, 2048 or 4096"],
  ["CALLS_PER_MINUTE_PER_CLIENT", "0", "must be a whole number of at least 1"],
  ["EVENTS_PER_MINUTE_PER_ADDRESS", "1e3", "must be a whole number of at least 1"],
  ["RETENTION_DAYS", "29", "must be a whole number from 30 to 730"],
  ["ARCHIVE_DAYS", "731", "must be a whole number from 4 to 730, or one of 1095, 1460, "],
  ["ARCHIVE_DAYS", "3650", "must be a whole number from 4 to 730, or one of 1095, 1460, "],
  ["ARCHIVE_DAYS", "89", "has no effect below RETENTION_DAYS"],
  ["DAILY_LOG_CAP_GB", "-1", "must be a whole number of at least 0"],
  ["PRIVATE_NETWORK", "True", 'Invalid option: expected one of "true"|"false"'],
  ["NETWORK_ADDRESS_PREFIX", "10.0.0.0", "must be such as 10.40.0.0/23, or larger"],
  ["NETWORK_ADDRESS_PREFIX", "10.0.0.0/24", "must be such as 10.40.0.0/23, or larger"],
  ["EXISTING_APP_SUBNET_ID", "snet-app", idOfSubnet],
  ["EXISTING_API_MANAGEMENT_SUBNET_ID", read("existing")[id], idOfSubnet],
  ["EXISTING_ENDPOINT_SUBNET_ID", "snet-endpoints", idOfSubnet],
  ["EXISTING_DNS_ZONES_GROUP_ID", "rg-dns", "must be such as /subscriptions/ID/resourceGroups/NAME"],
  ["VAULT_WRITER_ID", "name@example.com", "must be an object ID"],
  ["URGENT_EMAILS", "a@example.com; b@example.com", "0: Invalid email address"],
  ["ROUTINE_EMAILS", "team", "0: Invalid email address"],
  ["URGENT_PHONES", "+491701234567", "0: must be such as 49-1701234567"],
  ["AVAILABILITY_TEST_REGIONS", "emea-nl-ams-azr", "must be three location tags"],
  ["ALERT_LIMITS", "{", "must be JSON"],
  ["ALERT_LIMITS", '{"event-sink": {}}', 'Unrecognized key: "event-sink"'],
  ["ALERT_LIMITS", '{"server-errors": {"counts": 1}}', "server-errors: Unrecognized key"],
  ["ALERT_LIMITS", '{"server-errors": {"count": 0}}', "server-errors: count: Too small"],
  ["ALERT_LIMITS", '{"server-errors": {"severity": 5}}', "server-errors: severity: Too big"],
  ["ALERT_LIMITS", '{"server-errors": {"window": "PT7M"}}', "server-errors: window: must be such as"],
])("The variable %s with the value '%s' is refused: %s", (name, value, fault) => {
  const faults = findFaults(fixtureOf("existing"), { ...read("existing"), [name]: value });
  expect(faults).toEqual([expect.stringContaining(fault)]);
  expect(faults[0]).toContain(name);
});

test.each([
  ["ALWAYS_READY_HTTP_INSTANCES", "40"],
  ["ARCHIVE_DAYS", "90"],
  ["ARCHIVE_DAYS", "730"],
  ["ARCHIVE_DAYS", "3653"],
  ["RETENTION_DAYS", "91"],
  ["DAILY_LOG_CAP_GB", "0"],
])("The variable %s with the value '%s' is accepted", (name, value) => {
  expect(findFaults(fixtureOf("existing"), { ...read("existing"), [name]: value })).toEqual([]);
});

test("Each number that the template reads has a range", () => {
  const ofTemplate = readText("infra/main.bicepparam").match(/(?<=int\(readEnvironmentVariable\(')[A-Z_]+/g);
  expect(Object.keys(numbers).toSorted()).toEqual(ofTemplate?.toSorted());
});

const booleans =
  readText("infra/main.bicepparam").match(/(?<=bool\(readEnvironmentVariable\(')[A-Z_]+/g) ?? [];
test.each(booleans)("The variable %s must be true or false, as Bicep converts nothing else", (name) => {
  const faults = findFaults(file, { ...read("test"), [name]: "yes" });
  expect(faults).toEqual([`${name}: Invalid option: expected one of "true"|"false"`]);
});

const tags = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`tag-${index}`, ""])));
const names = "TAGS: private DNS zones allow names";
const tooMany = "TAGS: private DNS zones and a new API Management allow 14 tags";

test.each([
  ["production", tags(14), []],
  ["production", tags(15), [tooMany]],
  ["production", '{"Cost Center": "42"}', [names]],
  ["production", '{"2nd": ""}', [names]],
  ["test", tags(15), [tooMany]],
  ["test", '{"Cost Center": "42"}', []],
  ["test", "cost=42", ["TAGS: must be JSON"]],
  ["existing", tags(15), []],
  ["existing", '{"Cost Center": "42"}', []],
  ["existing", '{"cost": 42}', ["TAGS: cost: Invalid input: expected string"]],
])("In %s, the tags %s have these faults: %j", (name, value, expected) => {
  const faults = findFaults(fixtureOf(name), { ...read(name), TAGS: value });
  expect(faults).toEqual(expected.map((fault) => expect.stringContaining(fault)));
});

test.each(["[]", "", "5"])("The settings '%s' are refused, because they are no JSON object", (json) => {
  const faults = findFaults(file, { ...read("test"), GATEWAY_SETTINGS: json });
  expect(faults).toEqual([
    expect.stringMatching(/^GATEWAY_SETTINGS: (?:must be a JSON object|SyntaxError: )/),
  ]);
});
