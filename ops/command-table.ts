/** Every command of `npm run ops`, in the order of the help. */
import type { Command } from "./command.ts";
import { token } from "./commands/token.ts";

export const commands: readonly Command[] = [token];
