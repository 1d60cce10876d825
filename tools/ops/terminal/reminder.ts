/** Reports what a command is waiting for if it takes long. */
import type { Terminal } from "./terminal.ts";

const reminderMilliseconds = 5000;

/** Returns the result; every five seconds until then, it says what is being waited for. */
export async function remindWhile<Result>(
  work: Promise<Result>,
  subject: string,
  { remark }: Pick<Terminal, "remark">,
): Promise<Result> {
  const startedAt = Date.now();
  const timer = setInterval(() => {
    remark(`Still waiting for ${subject}, ${Math.round((Date.now() - startedAt) / 1000)} s ...`);
  }, reminderMilliseconds);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}
