import type { Signature } from "./signature.ts";

/** An execution function as others see it: how to call it, and what it does. */
export interface FunctionDescription {
  /** `module.function`. */
  name: string;
  signature: Signature;
  function: {
    /** Shown by `sys.doc`, and when the arguments do not fit. */
    doc: string;
  };
}

/** Why a function cannot be called. */
export interface MissingFunction {
  /** In Salt's words: `'x.y' is not available.` */
  message: string;
}

/** The execution functions of a host, for `sys` and its like: to call one, use the `call` of the context. */
export interface FunctionCatalog {
  /** Looks up `module.function`; loads the module if need be. */
  find(name: string): Promise<FunctionDescription | MissingFunction>;
  /** Names of the available modules. */
  modules(): Promise<string[]>;
  /** Every function of the available modules, sorted by name. */
  list(): Promise<FunctionDescription[]>;
  /** Available modules by name → the file that provides each. */
  providers(): Promise<Map<string, string>>;
  /** Modules that are not available: file name → reason. */
  unavailable(): Promise<Map<string, string>>;
  /** Forgets all modules: each is loaded again when it is next needed. */
  reload(): void;
}
