/** The API reference as static files. */
import openapi from "../../../../openapi.json";
import { showReference } from "./show-reference.ts";

showReference(openapi, { methods: [] });
