/** An app that registers a function and then throws while it loads. */
import { app } from "@azure/functions";

app.http("fine", { route: "fine", handler: () => ({ body: "fine" }) });
throw new Error("refused to start on purpose");
