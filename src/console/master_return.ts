import { isRecord } from "../base/record.ts";

/** The return of a function of the master, in the form of a minion's return. */
interface MasterReturn {
  return: unknown;
  retcode: number;
  success: boolean;
  arg: unknown[];
}

/**
 * Reads the master's record of one of its functions: the data of the last event. For an orchestration, the states are taken out of
 * the wrapper with the outputter.
 *
 * @returns undefined for any other value
 */
export function masterReturn(kept: unknown): MasterReturn | undefined {
  if (!isRecord(kept) || typeof kept.fun !== "string" || !("return" in kept)) return undefined;
  const { return: value, success, fun_args: arg } = kept;
  const wrapped = isRecord(value) && typeof value.outputter === "string" && isRecord(value.data) ? value : undefined;
  const data = wrapped === undefined ? value : onlyOne(wrapped.data as Record<string, unknown>);
  const retcode = Number(wrapped?.retcode ?? kept.retcode ?? 0) || 0;
  return {
    return: data,
    retcode: success === false && retcode === 0 ? 1 : retcode,
    success: success !== false && retcode === 0,
    arg: Array.isArray(arg) ? arg : [],
  };
}

/** The states of the master, without the map by its id. */
function onlyOne(data: Record<string, unknown>): unknown {
  const values = Object.values(data);
  return values.length === 1 ? values[0] : data;
}
