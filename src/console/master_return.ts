import { isRecord } from "../base/record.ts";

/** What a function of the master has returned, as the return of a minion. */
export interface MasterReturn {
  return: unknown;
  retcode: number;
  success: boolean;
  /** Its arguments. */
  arg: unknown[];
}

/**
 * Reads what a master keeps of a function of its own: all data of its last event. Of an orchestration the states are taken
 * out of what says how to print them.
 *
 * @returns undefined if it is something else
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

/** The states of the master, without its id around them. */
function onlyOne(data: Record<string, unknown>): unknown {
  const values = Object.values(data);
  return values.length === 1 ? values[0] : data;
}
