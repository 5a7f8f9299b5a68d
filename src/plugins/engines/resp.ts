/** Values of the protocol of Redis, version 2. An error is a value, too. */
export type RespValue = string | number | null | Error | RespValue[];

/** Bytes of values that are not whole yet, entries of an array, and levels of arrays. */
const MOST_BYTES = 1024 * 1024;
const MOST_ENTRIES = 1000;
const DEEPEST = 4;

/** The value is not whole yet. */
const MORE = Symbol("more");

/** Cuts a stream of Redis into values. */
export class RespReader {
  #bytes = new Uint8Array(0) as Uint8Array;

  /** @returns the values that have become whole. @throws {SyntaxError} for what is not the protocol, or too large */
  read(chunk: Uint8Array): RespValue[] {
    const whole = new Uint8Array(this.#bytes.length + chunk.length);
    whole.set(this.#bytes);
    whole.set(chunk, this.#bytes.length);
    const values: RespValue[] = [];
    let at = 0;
    for (;;) {
      const next = this.#value(whole, at, 0);
      if (next === MORE) break;
      values.push(next.value);
      at = next.end;
    }
    this.#bytes = whole.slice(at);
    if (this.#bytes.length > MOST_BYTES) throw new SyntaxError("The server sends a value that is too large");
    return values;
  }

  #line(bytes: Uint8Array, at: number): { text: string; end: number } | typeof MORE {
    const end = bytes.indexOf(0x0a, at);
    if (end < 0) return MORE;
    return { text: new TextDecoder().decode(bytes.subarray(at, end)).replace(/\r$/, ""), end: end + 1 };
  }

  #value(bytes: Uint8Array, at: number, depth: number): { value: RespValue; end: number } | typeof MORE {
    const line = this.#line(bytes, at);
    if (line === MORE) return MORE;
    const { text, end } = line;
    const rest = text.slice(1);
    const number = Number(rest);
    const size = () => {
      if (Number.isInteger(number) && number >= -1 && number <= MOST_BYTES) return number;
      throw new SyntaxError("The server does not speak the protocol of Redis");
    };
    switch (text[0]) {
      case "+":
        return { value: rest, end };
      case "-":
        return { value: new Error(`The server says: ${rest.slice(0, 500)}`), end };
      case ":":
        return { value: number, end };
      case "$": {
        const length = size();
        if (length < 0) return { value: null, end };
        if (bytes.length < end + length + 2) return MORE;
        return { value: new TextDecoder().decode(bytes.subarray(end, end + length)), end: end + length + 2 };
      }
      case "*": {
        const count = size();
        if (count > MOST_ENTRIES || depth >= DEEPEST) {
          throw new SyntaxError("The server sends a list that is too large");
        }
        const values: RespValue[] = [];
        let next = end;
        for (let n = 0; n < count; n++) {
          const one = this.#value(bytes, next, depth + 1);
          if (one === MORE) return MORE;
          values.push(one.value);
          next = one.end;
        }
        return { value: count < 0 ? null : values, end: next };
      }
    }
    throw new SyntaxError("The server does not speak the protocol of Redis");
  }
}
