/** A command that waits says so. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { remindWhile } from "../terminal/terminal.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("Says every five seconds what is being waited for, and nothing afterwards", async () => {
  const remarks: string[] = [];
  const { promise, resolve } = Promise.withResolvers<string>();
  const waiting = remindWhile(promise, "the platform", { remark: (line) => void remarks.push(line) });
  await vi.advanceTimersByTimeAsync(4999);
  expect(remarks).toEqual([]);
  await vi.advanceTimersByTimeAsync(5001);
  const reminders = ["Still waiting for the platform, 5 s ...", "Still waiting for the platform, 10 s ..."];
  expect(remarks).toEqual(reminders);
  resolve("done");
  expect(await waiting).toBe("done");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(remarks).toEqual(reminders);
});
