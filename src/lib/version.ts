/** The version of the API and of this build. */
import packageJson from "../../package.json" with { type: "json" };

export const version: string = packageJson.version;

/**
 * Identifies the bundle by twelve hexadecimal digits of its SHA-256, which `npm run build` and `npm run package` write
 * here. Consists of zeros in code that is not bundled.
 */
export const build = "000000000000";
