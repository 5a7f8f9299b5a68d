import type { StateModule } from "../../loader/states.ts";

/** States that do nothing, to try other things with. */
export const states: StateModule = {
  functions: {
    nop: {
      signature: "name, **kwargs",
      doc: "Does nothing, and succeeds.",
      run: (_context, { name }) => ({ name, changes: {}, result: true, comment: "Success!" }),
    },
  },
};
