/** The tests that a mutated file is given to: `mutate.ts` names their folder. */
import everything from "../../vitest.config.ts";

export default {
  ...everything,
  test: {
    ...everything.test,
    include: ["**/*.test.ts"],
    // They start processes, which run the code unchanged, or copy it.
    exclude: ["**/{integration,package,planted-bugs,widget}.test.ts"],
    reporters: [],
  },
};
