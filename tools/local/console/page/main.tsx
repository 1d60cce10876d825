/** Starts the console's page. */
import { render } from "preact";
import "uplot/dist/uPlot.min.css";
import "./console.css";
import { App } from "./app.tsx";

render(<App />, document.body);
