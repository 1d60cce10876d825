/** Storage connection strings: which ones are accepted. */
import { expect, test } from "vitest";
import { connectionString } from "../../../src/lib/settings/connection-string.ts";

test.each([
  "UseDevelopmentStorage=true",
  "usedevelopmentstorage=true;",
  " UseDevelopmentStorage=true ",
  "BlobEndpoint=https://a.blob.example.com/;SharedAccessSignature=sv=1&sig=x",
  "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=b==;;",
  "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=b==;EndpointSuffix=core.windows.net",
  "DefaultEndpointsProtocol=https; AccountName = a; AccountKey=b==",
  "QueueEndpoint=https://a.queue.example.com/;SharedAccessSignature=sv=1&sig=x",
  "SharedAccessSignature=sv=1&sig=x;QueueEndpoint=http://127.0.0.1:10001/a",
  "DefaultEndpointsProtocol=http;AccountName=a;AccountKey=b==;QueueEndpoint=http://127.0.0.1:10001/a",
])("connectionString accepts %s", (text) => {
  expect(connectionString.safeParse(text).success).toBe(true);
});

test.each([
  "QueueEndpoint=https://a.queue.example.com/",
  "QueueEndpoint=http://a.queue.example.com/;SharedAccessSignature=sv=1",
  "QueueEndpoint=a.queue.example.com;SharedAccessSignature=sv=1",
  "DefaultEndpointsProtocol=https;AccountName=a",
  "DefaultEndpointsProtocol=https;AccountKey=b==",
  "AccountName=a;AccountKey=b==",
  "DefaultEndpointsProtocol=https;AccountName=a;AccountKey",
  "DefaultEndpointsProtocol=https;AccountName= ;AccountKey=b==",
  "SharedAccessSignature=;QueueEndpoint=https://a.queue.example.com/",
  "UseDevelopmentStorage=true;AccountName=a",
  "DoUseDevelopmentStorage=true",
  "DefaultEndpointsProtocol=HTTP;AccountName=a;AccountKey=b==",
])("connectionString rejects %s", (text) => {
  expect(connectionString.safeParse(text).success).toBe(false);
});
