/** Timer functions for the tests: each logs what it was given or how long it ran. */
import { app } from "@azure/functions";

const onceAYear = "0 0 0 1 1 *";

app.timer("everySecond", {
  schedule: "* * * * * *",
  handler: (timer, context) => context.log(`everySecond ${JSON.stringify(timer)}`),
});
app.timer("onStartup", {
  schedule: "%YEARLY%",
  runOnStartup: true,
  handler: (timer, context) => context.log(`onStartup ${JSON.stringify(timer)}`),
});
app.timer("slow", {
  schedule: "* * * * * *",
  handler: async (_timer, context) => {
    context.log("slow begins");
    await new Promise((resolve) => setTimeout(resolve, 1300));
    context.log("slow ends");
  },
});
app.timer("failing", {
  schedule: "* * * * * *",
  handler: (_timer, context) => {
    context.log("failing runs");
    throw new Error("failed on purpose");
  },
});
app.timer("badSchedule", { schedule: "every now and then", handler: () => undefined });
app.timer("byHand", {
  schedule: onceAYear,
  handler: (timer, context) => context.log(`byHand ${JSON.stringify(timer)}`),
});
app.http("status", { route: "status", handler: () => ({ body: "running" }) });
