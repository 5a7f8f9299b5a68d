import type { PythonCaller } from "./helper.ts";

export const returnCodeOf = (context: { retcode?: number | null }): NonNullable<PythonCaller["code"]> => ({
  get: () => context.retcode ?? 0,
  set: (value) => {
    if (value !== (context.retcode ?? 0)) context.retcode = value;
  },
});
