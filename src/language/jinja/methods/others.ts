import { setAdd, setHas } from "../../python/dict.ts";
import { iterate } from "../../python/iterate.ts";
import { PythonError } from "../../python/python_error.ts";
import { repr } from "../../python/values.ts";
import { decodeText } from "../../python/codecs.ts";
import { bind } from "../signature.ts";
import { type MethodTable, positional } from "./method.ts";

type Members = Set<unknown>;

function setOf(values: Iterable<unknown>): Members {
  const set: Members = new Set();
  for (const value of values) setAdd(set, value);
  return set;
}

const joinSets = (set: Members, others: readonly unknown[]) =>
  others.reduce((all: Members, other) => setOf([...all, ...iterate(other)]), new Set(set));

const has = (values: unknown) => {
  const other = setOf(iterate(values));
  return (value: unknown) => setHas(other, value);
};

const only = (set: Members, others: readonly unknown[], wanted: boolean) =>
  others.map(has).reduce((left: unknown[], inside) => left.filter((value) => inside(value) === wanted), [...set]);

export const SET_METHODS: MethodTable = {
  add: positional<Members>("set.add", 1, 1, (set, [value]) => {
    setAdd(set, value);
    return null;
  }),
  clear: positional<Members>("set.clear", 0, 0, (set) => {
    set.clear();
    return null;
  }),
  copy: positional<Members>("set.copy", 0, 0, (set) => new Set(set)),
  difference: positional<Members>("set.difference", 0, 99, (set, others) => setOf(only(set, others, false))),
  discard: positional<Members>("set.discard", 1, 1, (set, [value]) => {
    set.delete(value);
    return null;
  }),
  intersection: positional<Members>("set.intersection", 0, 99, (set, others) => setOf(only(set, others, true))),
  isdisjoint: positional<Members>("set.isdisjoint", 1, 1, (set, others) => only(set, others, true).length === 0),
  issubset: positional<Members>("set.issubset", 1, 1, (set, others) => only(set, others, false).length === 0),
  issuperset: positional<Members>(
    "set.issuperset",
    1,
    1,
    (set, [other]) => [...iterate(other)].every((one) => setHas(set, one)),
  ),
  pop: positional<Members>("set.pop", 0, 0, (set) => {
    const [first] = set;
    if (set.size === 0) throw new PythonError("KeyError", "'pop from an empty set'");
    set.delete(first);
    return first;
  }),
  remove: positional<Members>("set.remove", 1, 1, (set, [value]) => {
    if (!set.delete(value)) throw new PythonError("KeyError", repr(value));
    return null;
  }),
  symmetric_difference: positional<Members>("set.symmetric_difference", 1, 1, (set, [other]) => {
    const values = setOf(iterate(other));
    return setOf([...only(set, [values], false), ...only(values, [set], false)]);
  }),
  union: positional<Members>("set.union", 0, 99, joinSets),
  update: positional<Members>("set.update", 0, 99, (set, others) => {
    for (const value of joinSets(set, others)) setAdd(set, value);
    return null;
  }),
};

/** The methods of Python's `bytes` that templates use. */
export const BYTES_METHODS: MethodTable = {
  decode: {
    call(self: never, args, keywords) {
      const { encoding, errors } = bind("decode", [["encoding", "utf-8"], ["errors", "strict"]], args, keywords);
      return decodeText(self, String(encoding), String(errors));
    },
  },
  hex: positional<Uint8Array>(
    "bytes.hex",
    0,
    0,
    (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(""),
  ),
};
