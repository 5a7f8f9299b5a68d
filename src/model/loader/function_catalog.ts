import type { Signature } from "./signature.ts";

/** Description of an execution function: how to call it, and what it does. */
export interface FunctionDescription {
  name: string;
  signature: Signature;
  function: {
    /** Documentation, for `sys.doc` and for errors about wrong arguments. */
    doc: string;
  };
}

/** The reason why a function cannot be called. */
export interface MissingFunction {
  /** The reason in Salt's words: `'x.y' is not available.` */
  message: string;
}

/** The execution functions of a host, for `sys` and its like. To call one, use `call` of the context. */
export interface FunctionCatalog {
  /** Looks up `module.function`; loads the module if need be. */
  find(name: string): Promise<FunctionDescription | MissingFunction>;
  /** True if a module is available under a name; loads what may have that name, and all modules only if that is none of them. */
  hasModule(name: string): Promise<boolean>;
  modules(): Promise<string[]>;
  /** Every function of the available modules, sorted by name. */
  list(): Promise<FunctionDescription[]>;
  /** Available modules by name → the file that provides each. */
  providers(): Promise<Map<string, string>>;
  /** Modules that are not available: file name → reason. */
  unavailable(): Promise<Map<string, string>>;
  /** Forgets all modules: each is loaded again on its next use. */
  reload(): void;
}
