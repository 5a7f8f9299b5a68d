import type { LowChunk } from "../../../model/loader/states.ts";
import { Allowance, CompileLimitError } from "./allowance.ts";
import { applyExcludes } from "./exclude.ts";
import { applyExtend } from "./extend.ts";
import type { OpenHigh } from "./high.ts";
import { LowChunkError, lowChunksOf } from "./low_chunks.ts";
import { applyRequisitesIn } from "./requisites_in.ts";
import { verifyHigh } from "./verify_high.ts";

export interface CompileHighOptions {
  /** Salt's option `disabled_requisites`. */
  disabledRequisites?: readonly unknown[] | undefined;
  orchestrationJid?: string | undefined;
  /** Errors of the rendering: with them, each step adds its own; without them, the first step that fails is the last. */
  found?: readonly string[] | undefined;
}

/** Low chunks, or the errors: one of the two lists is empty. */
export interface Compiled {
  chunks: LowChunk[];
  errors: string[];
}

/**
 * Compiles high data to low chunks in order: extensions, check of the form, requisites that work backward, excludes, chunks.
 *
 * @param high this function changes it; see {@link openHigh}
 * @see salt/state.py State.call_high
 */
export function compileHigh(high: OpenHigh, options: CompileHighOptions = {}): Compiled {
  const { disabledRequisites: disabled, orchestrationJid, found } = options;
  const allowance = new Allowance();
  try {
    const early = [...found ?? [], ...applyExtend(high, { allowance }), ...verifyHigh(high)];
    if (early.length > 0 && found === undefined) return { chunks: [], errors: early };
    const late = [...early, ...applyRequisitesIn(high, { disabled, allowance }), ...applyExcludes(high)];
    if (late.length > 0) return { chunks: [], errors: late };
    return { chunks: lowChunksOf(high, { orchestrationJid, allowance }), errors: [] };
  } catch (error) {
    if (!(error instanceof LowChunkError || error instanceof CompileLimitError)) throw error;
    return { chunks: [], errors: [error.message] };
  }
}
