import type { Logger } from "../../src/base/log.ts";
import type { ResolveSdb } from "../../src/model/config/sdb_values.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";

/** What finds the values of `sdb://` addresses of a configuration. Nothing is loaded for one without. */
export function resolveSdb(host: { runtime: Runtime; log: Logger }, strict: boolean): ResolveSdb {
  return async (values) => {
    const { sdbResolver } = await import("../../src/model/loader/sdb.ts");
    return await sdbResolver(host, async () => (await import("../../src/plugins/sdb/mod.ts")).SDB, strict)(values);
  };
}
