/** Custom modules of any language, after loading. */
import type { Logger } from "../../base/log.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { Args } from "../../language/python/values.ts";
import type { Signature } from "./signature.ts";

/** The place of custom modules, and what is needed to load them. */
export interface CustomPlace {
  readonly runtime: Runtime;
  readonly log: Logger;
  /** `extension_modules`, and the options with additional directories. */
  readonly opts: Record<string, unknown>;
}

/** The context that a function of a custom file receives: that of its family. */
export type AnyContext = object;

export interface CustomFunction {
  signature: string | Signature;
  doc: string;
  /** The outputter for the return. @default that of the family */
  out?: string;
  run(context: AnyContext, args: Args): Promise<unknown>;
}

/** True, another name to go by, or why it is not available, with the name that it would have. */
export type Virtual = true | string | { unavailable: string; name?: string };

export interface LoadedFile {
  /** The module's exports; empty for a program. */
  exports: Record<string, unknown>;
  virtual(context: unknown): Virtual;
  functions: Map<string, CustomFunction>;
  /** Further names that it goes by. @default none */
  aliases?: readonly string[];
}

/**
 * Finds a runner, returner or beacon by name: first the file of that name, unless its module has another name; then any file whose
 * module has the name.
 */
export async function moduleNamed<Family extends "runner" | "returner" | "beacon", Module extends { name?: string }>(
  registry: Readonly<Record<string, () => Promise<Record<Family, Module>>>>,
  family: Family,
  name: string,
): Promise<Module | undefined> {
  const others = Object.keys(registry).filter((file) => file !== name);
  for (const file of Object.hasOwn(registry, name) ? [name, ...others] : others) {
    try {
      const module = (await registry[file]!())[family];
      if ((module.name ?? file) === name) return module;
    } catch (error) {
      // Throw only an error in the file of that name: other files do not concern the caller.
      if (file === name) throw error;
    }
  }
  return undefined;
}
