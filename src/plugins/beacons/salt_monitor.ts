import { type BeaconEvent, type BeaconModule, settingsOf } from "../../model/loader/beacons.ts";
import { isMap, repr, truthy } from "../../language/python/values.ts";

interface Call {
  fun: string;
  args: unknown[];
  kwargs: Record<string, unknown>;
}

/** Functions of the configuration: names, or names with `args` and `kwargs`. @throws {TypeError} in Salt's words */
function callsOf(given: unknown): Call[] {
  return [given].flat().map((entry) => {
    if (!isMap(entry)) return { fun: String(entry), args: [], kwargs: {} };
    const [fun = "", how] = Object.entries(entry as object)[0] ?? [];
    const own = (how ?? {}) as Record<string, unknown>;
    for (const key of Object.keys(own)) {
      if (key !== "args" && key !== "kwargs") throw new TypeError(`key ${key} not allowed under fun ${fun}`);
    }
    const { args = [], kwargs = [] } = own;
    if (!Array.isArray(args)) throw new TypeError(`args key for fun ${fun} must be list`);
    if (!Array.isArray(kwargs)) throw new TypeError(`kwargs key for fun ${fun} must be list of key value pairs`);
    const wrong = kwargs.find((one) => !isMap(one));
    if (wrong !== undefined) throw new TypeError(`${repr(wrong)} is not a key / value pair`);
    return { fun, args, kwargs: Object.assign({}, ...kwargs) };
  });
}

/** Answers of execution functions, as far as they are true. */
export const beacon: BeaconModule = {
  validate(config) {
    try {
      callsOf(settingsOf(config).salt_fun ?? []);
      return [true, "valid config"];
    } catch (error) {
      return [false, (error as Error).message];
    }
  },
  async beacon(_config, { settings, context }) {
    const { salt_fun } = settings;
    const found: BeaconEvent[] = [];
    for (const { fun, args, kwargs } of callsOf(salt_fun ?? [])) {
      const ret = await context.call(fun, args, kwargs);
      if (typeof salt_fun !== "string" && !truthy(ret ?? null)) continue;
      found.push({
        salt_fun: fun,
        ret,
        ...(args.length > 0 ? { args } : {}),
        ...(Object.keys(kwargs).length > 0 ? { kwargs } : {}),
      });
    }
    return found;
  },
};
