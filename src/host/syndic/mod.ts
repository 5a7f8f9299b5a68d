/** The syndic: publishes the jobs of higher masters on the master of this host, and brings its returns up to them. */
export * from "./syndic.ts";
