import { ABSENT_SDB, absentSdb } from "../../../src/model/loader/sdb.ts";
import { isMap, lookup } from "../../../src/language/python/values.ts";
import { nearestName } from "../../../src/base/nearest_name.ts";
import { doubtful, type Finding } from "./finding.ts";

/** Reports sdb profiles with an unknown driver. Any other map with a `driver` may belong to a custom module. */
export async function checkSdb(opts: Record<string, unknown>): Promise<Finding[]> {
  const drivers = Object.entries(opts).flatMap(([name, value]): [string, string][] => {
    const driver = isMap(value) ? lookup(value, "driver") : undefined;
    return typeof driver === "string" ? [[name, driver]] : [];
  });
  const known = Object.keys((await import("../../../src/plugins/sdb/mod.ts")).SDB);
  const isAbsent = (driver: string) =>
    !known.includes(driver) && (Object.hasOwn(ABSENT_SDB, driver) || nearestName(driver, known) !== undefined);
  return drivers.filter(([, driver]) => isAbsent(driver)).map(([name, driver]) =>
    doubtful(`the sdb profile ${name} cannot be used`, absentSdb(driver, known))
  );
}
