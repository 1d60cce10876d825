/** The option without which nothing is changed. */
import { flag } from "./options.ts";

export const yes = flag("does it; without it, the command only says what it would do");
