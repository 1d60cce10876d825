/** The version of the interface and of this build, as package.json has it. */
import packageJson from "../../../package.json" with { type: "json" };

export const version: string = packageJson.version;
