/** Custom modules, whatever language they are written in. */
import type { Logger } from "../../base/log.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { Args, Signature } from "./signature.ts";

/** Where custom modules are, and what they are loaded with. */
export interface CustomPlace {
  readonly runtime: Runtime;
  readonly log: Logger;
  /** `extension_modules` and the options that name further directories. */
  readonly opts: Record<string, unknown>;
}

/** What a function of a custom file is called with: a context of its family. */
export type AnyContext = object;

/** One function of a custom file, of any family. */
export interface CustomFunction {
  signature: string | Signature;
  doc: string;
  /** The outputter of its return. @default that of its family */
  out?: string;
  run(context: AnyContext, args: Args): Promise<unknown>;
}

/** True, another name to go by, or why it is not available, with the name that it would have. */
export type Virtual = true | string | { unavailable: string; name?: string };

/** A file that was loaded. */
export interface LoadedFile {
  /** Empty for a program. */
  exports: Record<string, unknown>;
  virtual(context: unknown): Virtual;
  functions: Map<string, CustomFunction>;
  /** Further names that it goes by. @default none */
  aliases?: readonly string[];
}
