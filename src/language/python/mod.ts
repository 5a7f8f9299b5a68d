/**
 * How Python reads and writes values: on the wire and on the screen, floats, literals, sorted keys and regular expressions
 * must look and work as in Python, because Salt's peers and users expect that. Nothing in here is specific to Salt.
 */
export * from "./binascii.ts";
export * from "./codecs.ts";
export * from "./compare.ts";
export * from "./containers.ts";
export * from "./equal.ts";
export * from "./difflib.ts";
export * from "./float.ts";
export * from "./format.ts";
export * from "./json.ts";
export * from "./lines.ts";
export * from "./posixpath.ts";
export * from "./pprint.ts";
export * from "./random.ts";
export * from "./regexp.ts";
export * from "./repr.ts";
export * from "./steps.ts";
export * from "./substitute.ts";
export * from "./textwrap.ts";
export * from "./traverse.ts";
export * from "./truth.ts";
export * from "./type_name.ts";
export * from "./update.ts";
export * from "./utf8.ts";
export * from "./whitespace.ts";
