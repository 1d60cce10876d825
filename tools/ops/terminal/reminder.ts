/** Reports what a command is waiting for if it takes long. */
import type { Terminal } from "./terminal.ts";

const reminderMilliseconds = 5000;

/** Returns the result. Until then, it reports every five seconds what it is waiting for. */
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
