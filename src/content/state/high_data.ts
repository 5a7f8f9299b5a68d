import type { AnyMap } from "../../language/python/containers.ts";

/**
 * What the SLS files of a run say together: `{id: {module: [arguments…, function, {order: n}], __sls__, __env__}, __extend__: […],
 * __exclude__: […]}`. Ids and keys are of any type until the data was verified.
 */
export type HighData = AnyMap;
