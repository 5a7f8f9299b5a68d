import type { PythonCaller } from "./helper.ts";

/** The return code of a context, for functions of Python. */
export const returnCodeOf = (context: { retcode?: number | null }): NonNullable<PythonCaller["code"]> => ({
  get: () => context.retcode ?? 0,
  set: (value) => {
    if (value !== (context.retcode ?? 0)) context.retcode = value;
  },
});
