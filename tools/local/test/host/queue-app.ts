/** One queue function for the tests: it logs its input and ends as the message says. */
import { app } from "@azure/functions";
import * as z from "zod";

const orders = z.object({
  holdMilliseconds: z.number().optional(),
  failTimes: z.number().optional(),
  crashOnce: z.boolean().optional(),
});

app.storageQueue("work", {
  queueName: "work",
  connection: "AzureWebJobsStorage",
  handler: async (message, context) => {
    const { dequeueCount } = context.triggerMetadata ?? {};
    context.log(JSON.stringify({ event: "begins", message, dequeueCount }));
    const order = orders.safeParse(message).data ?? {};
    if (order.crashOnce && dequeueCount === 1) process.exit(9);
    await new Promise((resolve) => setTimeout(resolve, order.holdMilliseconds ?? 0));
    if (Number(dequeueCount) <= (order.failTimes ?? 0)) throw new Error("failed on purpose");
    context.log(JSON.stringify({ event: "ends", message }));
  },
});
