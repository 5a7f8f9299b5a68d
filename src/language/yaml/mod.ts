/**
 * YAML 1.1 as Salt's Python libraries read and write it. Configuration, states and command lines are written in it: `yes`
 * is true, `12:30` an integer, dates are text.
 */
export * from "./construct.ts";
export * from "./dump.ts";
export * from "./line.ts";
export * from "./node.ts";
export * from "./scalar.ts";
