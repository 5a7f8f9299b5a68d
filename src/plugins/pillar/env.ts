import type { ExtPillar } from "../../model/loader/ext_pillar.ts";
import { InvalidArgumentsError } from "../../model/loader/family.ts";
import { entriesOf, isMap, str } from "../../language/python/values.ts";

/**
 * Variables of the master's environment under chosen names: `env: {variables: {db_password: DB_PASSWORD}}`. Those
 * that are not set bring nothing.
 */
export const pillar: ExtPillar = {
  signature: "variables",
  run({ runtime }, { variables }) {
    if (!isMap(variables)) {
      throw new InvalidArgumentsError("variables must be a map of names to variables of the environment");
    }
    const found = entriesOf(variables).map(([key, name]) => [key, runtime.process.env(str(name))] as const);
    return Promise.resolve(new Map(found.filter(([, value]) => value !== undefined)));
  },
};
