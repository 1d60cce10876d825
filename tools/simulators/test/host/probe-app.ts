/**
 * The app of the host's tests: functions that show what the host does with a request, a message, a failure and a crash.
 */
import { app, type HttpHandler, type HttpMethod } from "@azure/functions";

function register(name: string, route: string, methods: HttpMethod[], handler: HttpHandler): void {
  app.http(name, { route, methods, authLevel: "anonymous", handler });
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const echo: HttpHandler = async (request) => ({
  jsonBody: {
    param: request.params["x"],
    search: new URL(request.url).search,
    query: Object.fromEntries(request.query),
    body: await request.text(),
  },
});

register("echo", "echo/{x}", ["GET", "POST"], echo);
register("a_literal", "first/list", ["GET"], () => ({ body: "a_literal" }));
register("b_parameter", "first/{x}", ["GET"], () => ({ body: "b_parameter" }));
register("nothing", "nothing", ["GET"], () => ({ status: 204 }));
register("failing", "failing", ["GET"], (_, context) => {
  context.warn("in the call");
  throw new Error("thrown on purpose");
});
register("rejecting", "rejecting", ["GET"], async () => {
  void Promise.reject(new Error("rejected and never handled"));
  await pause(300);
  return { body: "after" };
});
register("exiting", "exiting", ["GET"], () => process.exit(3));
register("sleep", "sleep", ["GET"], async (request) => {
  await pause(Number(request.query.get("ms")));
  return { body: "slept" };
});
app.http("keyed", { route: "keyed", methods: ["GET"], authLevel: "function", handler: echo });

app.timer("everySecond", {
  schedule: "* * * * * *",
  handler: (timer, context) => context.log(`everySecond runs, past due: ${timer.isPastDue}`),
});
app.timer("onStartup", {
  schedule: "0 0 0 1 1 *",
  runOnStartup: true,
  handler: (_, context) => {
    context.log("onStartup runs");
    throw new Error("failed on purpose");
  },
});

app.storageQueue("work", {
  queueName: "work",
  connection: "AzureWebJobsStorage",
  handler: async (message, context) => {
    const { dequeueCount } = context.triggerMetadata ?? {};
    context.log(JSON.stringify({ message, dequeueCount }));
    if (message === "crash, then fail" && dequeueCount === 1) process.exit(9);
    if (message === "crash, then fail") throw new Error("failed on purpose");
  },
});
