/**
 * How Python writes and reads values: what Salt's peers and its users see on the wire and on the screen is Python's
 * idea of a float, a literal, a sorted key or a regular expression. Nothing in here knows a word of Salt.
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
export * from "./truth.ts";
export * from "./type_name.ts";
export * from "./update.ts";
export * from "./utf8.ts";
export * from "./whitespace.ts";
