import { asInt } from "../python/arithmetic.ts";
import { type AnyMap, isFloat, isInteger, isMap, PythonObject, repr, Tuple, typeName } from "../python/values.ts";
import { dictGet, MISSING } from "../python/dict.ts";
import { textLength } from "../python/iterate.ts";
import { PythonError, typeError } from "../python/python_error.ts";
import { PythonRange } from "../python/range.ts";
import { type Slice, sliced } from "../python/slice.ts";
import { Callable } from "./callable.ts";
import { GroupTuple } from "./group_tuple.ts";
import { asMarkup, Markup } from "./markup.ts";
import { DICT_METHODS } from "./methods/dict.ts";
import { LIST_METHODS, TUPLE_METHODS } from "./methods/list.ts";
import { BoundMethod, type Method, type MethodTable } from "./methods/method.ts";
import { MARKUP_METHODS, ofMarkup } from "./methods/markup.ts";
import { FLOAT_ATTRIBUTES, FLOAT_METHODS, INT_ATTRIBUTES, INT_METHODS } from "./methods/numbers.ts";
import { BYTES_METHODS, SET_METHODS } from "./methods/others.ts";
import { textFormats } from "./methods/text_format.ts";
import { TEXT_METHODS } from "./methods/text.ts";
import { Undefined } from "./undefined.ts";

/** A value that defines its own attributes, items or full type name. */
export interface Described {
  /** The name of the value's type with its module, for messages: `jinja2.utils.Namespace`. */
  qualifiedType?: string;
  /** The value of an attribute, which may be a promise; undefined if there is none. */
  attribute?(name: string): unknown;
  /** The value of an item, which may be a promise; undefined if there is none. */
  item?(key: unknown): unknown;
  /** The result of `value in this`; undefined to search the values. */
  contains?(value: unknown): boolean | undefined | Promise<boolean>;
}

/** Matches the names of Python's internal attributes. */
const INTERNAL = /^__\w*__$/;

/** The value that a method works on: the text of a markup, otherwise the value itself. */
export function receiver(value: unknown): unknown {
  return value instanceof Markup ? value.text : value;
}

/** Type names of values that messages show under another name than their type, such as Salt's pillar. */
type TypeNames = WeakMap<object, string>;

function describe(value: unknown, names: TypeNames): string {
  if (value === null || value === undefined) return "None";
  const own = typeof value === "object" ? names.get(value) ?? (value as Described).qualifiedType : undefined;
  const name = typeof own === "string" ? own : typeName(value);
  return `${name === "OrderedDict" ? "collections.OrderedDict" : name} object`;
}

function missingAttribute(value: unknown, name: string, names: TypeNames, lenient: boolean): Undefined {
  return new Undefined(`${repr(describe(value, names))} has no attribute ${repr(name)}`, { lenient });
}

/** How attributes and items are looked up in one environment. */
export class Attributes {
  readonly #names: TypeNames;
  readonly #lenient: boolean;
  #textFormats: MethodTable | undefined;

  constructor(names: TypeNames, lenient: boolean) {
    this.#names = names;
    this.#lenient = lenient;
  }

  #methodsOf(value: unknown): MethodTable | undefined {
    if (typeof value === "string") return TEXT_METHODS;
    if (value instanceof Markup) return MARKUP_METHODS;
    if (Array.isArray(value)) return value instanceof Tuple ? TUPLE_METHODS : LIST_METHODS;
    if (isMap(value)) return DICT_METHODS;
    if (value instanceof Set) return SET_METHODS;
    if (value instanceof Uint8Array) return BYTES_METHODS;
    if (isFloat(value)) return FLOAT_METHODS;
    return isInteger(value) || typeof value === "boolean" ? INT_METHODS : undefined;
  }

  /** The method of a value by its name; undefined if there is none. The method works on the result of {@link receiver}. */
  method(value: unknown, name: string): Method | undefined {
    const methods = this.#methodsOf(value);
    if (methods === undefined) return undefined;
    if (Object.hasOwn(methods, name)) return methods[name];
    if (methods !== TEXT_METHODS && methods !== MARKUP_METHODS) return undefined;
    // The format methods look up attributes of this environment, so each environment has its own.
    const formats = this.#textFormats ??= textFormats(this);
    if (!Object.hasOwn(formats, name)) return undefined;
    return methods === MARKUP_METHODS ? ofMarkup(name, formats[name]!) : formats[name];
  }

  /** An undefined name. */
  undefinedName(name: string): Undefined {
    return new Undefined(`${repr(name)} is undefined`, { lenient: this.#lenient });
  }

  #own(value: unknown, name: string): unknown {
    if (INTERNAL.test(name) && !(isMap(value) && dictGet(value, name) !== MISSING)) {
      return new Undefined(`access to attribute ${repr(name)} of ${repr(typeName(value))} object is unsafe.`, {
        unsafe: true,
      });
    }
    const method = this.method(value, name);
    if (method !== undefined) return new BoundMethod(name, typeName(value), receiver(value), method);
    if (value instanceof GroupTuple && (name === "grouper" || name === "list")) return value[name];
    if (value instanceof Callable || value instanceof PythonObject) return (value as Described).attribute?.(name);
    if (isFloat(value)) return Object.hasOwn(FLOAT_ATTRIBUTES, name) ? FLOAT_ATTRIBUTES[name]!(value) : undefined;
    if (!isInteger(value) && typeof value !== "boolean") return undefined;
    return Object.hasOwn(INT_ATTRIBUTES, name) ? INT_ATTRIBUTES[name]!(value) : undefined;
  }

  /** The attribute, never an item, for the filter `attr`. */
  ownAttribute(value: unknown, name: string): unknown {
    if (value instanceof Undefined) return value.fail();
    return this.#own(value, name) ?? missingAttribute(value, name, this.#names, this.#lenient);
  }

  /** The value of `value.name`: the attribute, otherwise the item. */
  attribute(value: unknown, name: string): unknown {
    if (value instanceof Undefined) return value.fail();
    const missing = () => missingAttribute(value, name, this.#names, this.#lenient);
    const own = this.#own(value, name);
    if (own instanceof Promise) return own.then((known) => known ?? missing());
    if (own !== undefined) return own;
    const item = this.#item(value, name);
    if (item instanceof Promise) return item.then((known) => known ?? missing());
    return item === undefined ? missing() : item;
  }

  item(value: unknown, key: unknown): unknown {
    if (value instanceof Undefined) return value.fail();
    const item = this.#item(value, key);
    if (item instanceof Promise) {
      return item.then((known) => known ?? missingAttribute(value, String(key), this.#names, this.#lenient));
    }
    if (item !== undefined) return item;
    if (key instanceof Undefined) return key.fail();
    if (typeof key !== "string") {
      return new Undefined(`${describe(value, this.#names)} has no element ${repr(key)}`, { lenient: this.#lenient });
    }
    return this.#own(value, key) ?? missingAttribute(value, key, this.#names, this.#lenient);
  }

  /** The value of `value[start:stop:step]`. As in Python, a value without slices fails at once. @throws {PythonError} */
  slice(value: unknown, slice: Slice): unknown {
    if (value instanceof Undefined) return value.fail();
    for (const part of Object.values(slice)) if (part instanceof Undefined) part.fail();
    const part = sliced(receiver(value), slice);
    if (part === undefined) {
      throw typeError(isMap(value) ? "unhashable type: 'slice'" : `'${typeName(value)}' object is not subscriptable`);
    }
    return value instanceof Markup ? asMarkup(part) : part;
  }

  #item(value: unknown, key: unknown): unknown {
    if (isMap(value)) return itemOfMap(value, key);
    if (value instanceof PythonObject && !(value instanceof PythonRange) && !(value instanceof Markup)) {
      return (value as Described).item?.(key);
    }
    const index = asInt(key);
    if (index === undefined) return undefined;
    const item = itemAt(receiver(value), Number(index));
    return value instanceof Markup ? asMarkup(item) : item;
  }
}

function itemOfMap(map: AnyMap, key: unknown): unknown {
  try {
    const found = dictGet(map, key);
    return found === MISSING ? undefined : found ?? null;
  } catch (error) {
    // A value that cannot be a key is not in the map.
    if (error instanceof PythonError) return undefined;
    throw error;
  }
}

function itemAt(value: unknown, index: number): unknown {
  if (value instanceof PythonRange) return value.at(index);
  if (typeof value === "string") {
    const length = textLength(value);
    const place = index < 0 ? index + length : index;
    if (place < 0 || place >= length) return undefined;
    return length === value.length ? value[place] : Array.from(value)[place];
  }
  if (!Array.isArray(value) && !(value instanceof Uint8Array)) return undefined;
  const place = index < 0 ? index + value.length : index;
  if (place < 0 || place >= value.length) return undefined;
  return value[place] ?? null;
}
