/** Hooks of every kind around one function, whose answer shows what they did. */
import { app, type HttpRequest } from "@azure/functions";

const started: string[] = [];

app.hook.appStart(() => {
  started.push("appStart");
});
app.hook.appTerminate(() => {
  process.stdout.write("terminated\n");
});
app.hook.preInvocation((context) => {
  const request = context.inputs[0] as HttpRequest;
  context.hookData["seenBefore"] = request.query.get("mode");
  if (request.query.get("mode") === "refuse") throw new Error("refused by a hook");
  if (request.query.get("mode") === "replace") {
    context.functionHandler = () => ({ jsonBody: "replaced" });
  }
});
app.hook.postInvocation((context) => {
  context.invocationContext.log("after the call");
  if (context.hookData["seenBefore"] === "rescue") {
    context.error = null;
    context.result = { jsonBody: "rescued" };
  }
});
app.hook.log((context) => {
  context.message = `[${context.category}] ${context.message}`;
});

app.http("answer", {
  route: "answer",
  handler: (request, context) => {
    context.warn("in the call");
    if (request.query.get("mode") !== null) throw new Error("failed in the function");
    return {
      jsonBody: { started, traceParent: context.traceContext?.traceParent },
    };
  },
});
