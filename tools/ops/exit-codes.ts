/** What the exit code of `npm run ops` means. */

/** Every exit code, with its meaning as `docs/reference.md` prints it. */
export const exitCodes = {
  ok: { code: 0, meaning: "done, and nothing needs attention" },
  finding: { code: 1, meaning: "something needs attention, or a part of the work could not be done" },
  usage: { code: 2, meaning: "the command line is wrong; nothing was done" },
  unreachable: {
    code: 3,
    meaning: "something that the command needs cannot be reached or may not be used",
  },
  interrupted: { code: 130, meaning: "interrupted by Ctrl-C; it is safe to run the command again" },
} as const;

export type ExitCode = keyof typeof exitCodes;
