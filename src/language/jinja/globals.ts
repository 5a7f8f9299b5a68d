import { asInt } from "../python/arithmetic.ts";
import { PythonObject, str, truthy, typeName } from "../python/values.ts";
import { PythonError, typeError, valueError } from "../python/python_error.ts";
import { PythonRange } from "../python/range.ts";
import type { Described } from "./attributes.ts";
import { Callable, type Keywords, NativeFunction } from "./callable.ts";
import { updateDict } from "./methods/dict.ts";
import { Namespace } from "./namespace.ts";
import { bind } from "./signature.ts";
import { Markup } from "./markup.ts";

const WORDS =
  "a ac accumsan ad adipiscing aenean aliquam aliquet amet ante aptent arcu at auctor augue bibendum blandit class commodo congue consectetuer consequat conubia convallis cras cubilia cum curabitur curae cursus dapibus diam dictum dictumst dignissim dis dolor donec dui duis egestas eget eleifend elementum elit enim erat eros est et etiam eu euismod facilisi facilisis fames faucibus felis fermentum feugiat fringilla fusce gravida habitant habitasse hac hendrerit hymenaeos iaculis id imperdiet in inceptos integer interdum ipsum justo lacinia lacus laoreet lectus leo libero ligula litora lobortis lorem luctus maecenas magna magnis malesuada massa mattis mauris metus mi molestie mollis montes morbi mus nam nascetur natoque nec neque netus nibh nisi nisl non nonummy nostra nulla nullam nunc odio orci ornare parturient pede pellentesque penatibus per pharetra phasellus placerat platea porta porttitor posuere potenti praesent pretium primis proin pulvinar purus quam quis quisque rhoncus ridiculus risus rutrum sagittis sapien scelerisque sed sem semper senectus sit sociis sociosqu sodales sollicitudin suscipit suspendisse taciti tellus tempor tempus tincidunt torquent tortor tristique turpis ullamcorper ultrices ultricies urna ut varius vehicula vel velit venenatis vestibulum vitae vivamus viverra volutpat vulputate"
    .split(" ");

/** The most words that one call may make. */
const MAX_WORDS = 1_000_000;

/** Jinja2's `lipsum`: paragraphs of filler text. */
function lipsum(paragraphs: number, html: boolean, min: number, max: number): unknown {
  if (max <= min) throw new PythonError("ValueError", `empty range for randrange() (${min}, ${max}, ${max - min})`);
  if (paragraphs * max > MAX_WORDS) throw new PythonError("ValueError", `lipsum makes ${MAX_WORDS} words at most`);
  const texts = Array.from({ length: paragraphs }, () => {
    const count = min + Math.floor(Math.random() * (max - min));
    const words: string[] = [];
    let starts = true;
    for (let at = 0; at < count; at++) {
      let word = WORDS[Math.floor(Math.random() * WORDS.length)]!;
      if (starts) word = word[0]!.toUpperCase() + word.slice(1);
      starts = at === count - 1 || Math.random() < 0.08;
      words.push(starts ? `${word}.` : word);
    }
    return words.join(" ");
  });
  return html ? new Markup(texts.map((text) => `<p>${text}</p>`).join("\n")) : texts.join("\n\n");
}

/** The most numbers of a `range` in the sandbox. */
const MAX_RANGE = 100_000;

function range(args: readonly unknown[]): PythonRange {
  if (args.length === 0) throw typeError("range expected at least 1 argument, got 0");
  if (args.length > 3) throw typeError(`range expected at most 3 arguments, got ${args.length}`);
  const numbers = args.map((value) => {
    const whole = asInt(value);
    if (value instanceof PythonObject) value.truth();
    if (whole === undefined) throw typeError(`'${typeName(value)}' object cannot be interpreted as an integer`);
    return Number(whole);
  });
  const [start, stop, step = 1] = numbers.length === 1 ? [0, numbers[0]!] : numbers as [number, number, number?];
  if (step === 0) throw valueError("range() arg 3 must not be zero");
  const made = new PythonRange(start, stop, step);
  if (made.length > MAX_RANGE) {
    throw new PythonError(
      "OverflowError",
      `Range too big. The sandbox blocks ranges larger than MAX_RANGE (${MAX_RANGE}).`,
    );
  }
  return made;
}

/** Python's `dict(…)`. */
export function makeDict(args: readonly unknown[], keywords: Keywords): Map<unknown, unknown> {
  const map = new Map<unknown, unknown>();
  updateDict(map, args, keywords, "dict");
  return map;
}

/** Jinja2's `cycler`: returns its values one after the other, in a circle. */
class Cycler extends PythonObject implements Described {
  override readonly typeName = "Cycler";
  readonly qualifiedType = "jinja2.utils.Cycler";
  readonly #items: readonly unknown[];
  #at = 0;

  constructor(items: readonly unknown[]) {
    super();
    if (items.length === 0) throw new PythonError("RuntimeError", "at least one item has to be provided");
    this.#items = items;
  }

  attribute(name: string): unknown {
    switch (name) {
      case "current":
        return this.#items[this.#at];
      case "pos":
        return this.#at;
      case "items":
        return [...this.#items];
      case "next":
        return new NativeFunction("next", () => {
          const value = this.#items[this.#at];
          this.#at = (this.#at + 1) % this.#items.length;
          return value;
        });
      case "reset":
        return new NativeFunction("reset", () => {
          this.#at = 0;
          return null;
        });
    }
    return undefined;
  }

  override repr(): string {
    return "<jinja2.utils.Cycler object at 0x7f0000000000>";
  }
}

/** Jinja2's `joiner`: returns an empty text at the first call, and its separator from then on. */
class Joiner extends Callable implements Described {
  override readonly typeName = "Joiner";
  readonly qualifiedType = "jinja2.utils.Joiner";
  readonly #separator: unknown;
  #isUsed = false;

  constructor(separator: unknown) {
    super();
    this.#separator = separator;
  }

  override call(): unknown {
    if (this.#isUsed) return this.#separator;
    this.#isUsed = true;
    return "";
  }

  override repr(): string {
    return "<jinja2.utils.Joiner object at 0x7f0000000000>";
  }
}

function namespace(args: readonly unknown[], keywords: Keywords): Namespace {
  const made = new Namespace();
  for (const [key, value] of makeDict(args, keywords)) made.values.set(str(key), value);
  return made;
}

const native = (name: string, call: ConstructorParameters<typeof NativeFunction>[1], repr?: string) =>
  new NativeFunction(name, call, repr === undefined ? {} : { repr, typeName: "type" });

/** The functions that all templates of Jinja2 can call. */
export const JINJA_GLOBALS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["range", native("safe_range", range)],
  ["dict", native("dict", makeDict, "<class 'dict'>")],
  [
    "lipsum",
    native("generate_lorem_ipsum", (args, keywords) => {
      const { n, html, min, max } = bind(
        "generate_lorem_ipsum",
        [["n", 5], ["html", true], ["min", 20], ["max", 100]],
        args,
        keywords,
      );
      return lipsum(Number(n), truthy(html), Number(min), Number(max));
    }),
  ],
  ["cycler", native("cycler", (items) => new Cycler(items), "<class 'jinja2.utils.Cycler'>")],
  ["joiner", native("joiner", ([separator = ", "]) => new Joiner(separator), "<class 'jinja2.utils.Joiner'>")],
  ["namespace", native("namespace", namespace, "<class 'jinja2.utils.Namespace'>")],
]);
