import { within } from "../../base/async/within.ts";
import { type AnyMap, entriesOf, isMap, repr } from "../../language/python/values.ts";
import { type CustomPlace, foreignText, known, loadCustomFile } from "./custom_file.ts";
import { type CustomFile, customFiles } from "./custom_files.ts";
import { lentFiles } from "./lent_files.ts";
import { bindArguments, parseSignature } from "./signature.ts";
import type { Logger } from "../../base/log.ts";
import type { Runtime } from "../../runtime/runtime.ts";

/** Milliseconds that a custom module of `master_tops` may take for one minion. */
export const CUSTOM_TOP_MS = 20_000;

/** What a custom module of `master_tops` receives. */
export interface CustomTopRequest {
  name: string;
  id: string;
  /** Options as the minion sent them, with the id from its key. */
  opts: Record<string, unknown>;
  grains: Record<string, unknown>;
  /** The value of `master_tops` under the module's name. */
  settings: unknown;
}

/** Calls a custom module: environment → names of SLS files. @param wanted returns false once nobody waits for the answer */
export type CustomTops = (request: CustomTopRequest, wanted: () => boolean) => Promise<AnyMap>;

/** The file of a custom module of `master_tops`, as the directories are now; the file may be one that cannot be loaded. */
export function customTop(
  { runtime, opts, log }: CustomPlace,
  name: string,
): CustomFile | undefined {
  const place = { runtime, opts, log };
  return customFiles(runtime, opts, "tops").get(name) ?? lentFiles(place, "tops").find((file) => file.name === name);
}

/** Checks that a module has returned environments with lists of names. */
function checked(found: unknown, { path }: CustomFile): AnyMap {
  const expected = "a map of environment to a list of SLS files";
  if (!isMap(found)) throw new TypeError(`"${path}" returned ${repr(found).slice(0, 100)}: expected ${expected}`);
  for (const [saltenv, names] of entriesOf(found)) {
    if (Array.isArray(names)) continue;
    throw new TypeError(`"${path}" returned ${repr(names).slice(0, 100)} for ${repr(saltenv)}: expected ${expected}`);
  }
  return found;
}

async function call(place: CustomPlace, file: CustomFile, request: CustomTopRequest, signal: AbortSignal) {
  const { exports, functions, virtual } = await loadCustomFile(place, "tops", file);
  const available = virtual(place);
  if (typeof available === "object") throw new TypeError(`"${file.path}" is not available: ${available.unavailable}`);
  const { name: _name, ...told } = request;
  const { runtime, log, opts: masterOpts } = place;
  const { top } = exports;
  if (typeof top === "function") return await known(() => top({ ...told, runtime, log, masterOpts, signal }));
  const found = functions.get("top");
  if (found === undefined) throw new TypeError(`"${file.path}" has no function "top"`);
  const signature = parseSignature(found.signature);
  const named = Object.entries(told).filter(([name]) =>
    signature.keywords !== undefined || signature.params.some((param) => param.name === name)
  );
  const { opts, grains } = told;
  return await found.run(
    // Python sees the options of the master: it gets those of the minion as an argument.
    { runtime, log, opts: file.form === "python" ? masterOpts : opts, grains, signal },
    bindArguments("top", signature, [], new Map(named)),
  );
}

/**
 * Calls a custom module of `master_tops`: the function `top` of code or a program.
 *
 * @throws {Error} naming the file, if the module fails, takes too long or returns something else
 */
export async function runCustomTop(place: CustomPlace, request: CustomTopRequest): Promise<AnyMap> {
  const file = customTop(place, request.name);
  if (file === undefined) throw new Error(`the custom module "${request.name}" no longer exists`);
  if (file.form === "foreign") throw new TypeError(foreignText(file));
  const limit = new AbortController();
  const late = () => {
    const error = new Error(`"${file.path}" has not answered within ${CUSTOM_TOP_MS / 1000} s`);
    limit.abort(error);
    throw error;
  };
  const answer = call(place, file, request, limit.signal);
  return checked(await within(place.runtime.clock, CUSTOM_TOP_MS, undefined, answer, late), file);
}

/** What a module of `master_tops` receives. */
interface TopsContext {
  readonly runtime: Runtime;
  readonly log: Logger;
  /** Id of the minion whose states are wanted, from its key, not from what the minion says. */
  readonly id: string;
  /** Grains as the minion sent them. */
  readonly grains: Record<string, unknown>;
}

/** The export `tops` of a file under `plugins/tops/`: names of SLS files for a minion, in addition to top files. */
export interface MasterTops {
  /**
   * Returns environment → names of SLS files.
   *
   * @param settings the value of `master_tops` under the module's name
   * @throws any error: it is logged, and the minion gets no names from this module
   */
  run(context: TopsContext, settings: unknown): Promise<AnyMap>;
}

/** Modules of `master_tops`: name → function that loads the module. */
export type TopsRegistry = Record<string, () => Promise<{ tops: MasterTops }>>;
