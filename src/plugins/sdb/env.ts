import { InvalidArgumentsError } from "../../model/loader/family.ts";
import type { SdbDriver } from "../../model/loader/sdb.ts";
import { typeName } from "../../language/python/values.ts";

/** Variables of this process. One that is set keeps its value, as in Salt. */
export const sdb: SdbDriver = {
  get: ({ runtime: { process } }, key) => key.includes("\0") ? null : process.env(key) ?? null,
  set({ runtime: { process } }, key, value) {
    const found = process.env(key);
    if (found !== undefined) return found;
    if (typeof value !== "string") throw new InvalidArgumentsError(`str expected, not ${typeName(value)}`);
    if (/[=\0]/.test(key) || value.includes("\0")) {
      throw new InvalidArgumentsError("A variable cannot have this name or value: expected text without = and NUL");
    }
    process.setEnv(key, value);
    return value;
  },
};
