import { ConfigError } from "../../base/errors.ts";
import { fieldOf } from "./wire/json.ts";

/** A section of the configuration, whose values are read by type. */
export class Section {
  readonly #name: string;
  readonly #values: unknown;

  constructor(name: string, values: unknown) {
    this.#name = name;
    this.#values = values;
  }

  has(key: string): boolean {
    return this.get(key) !== undefined && this.get(key) !== null;
  }

  get(key: string): unknown {
    return fieldOf(this.#values, key);
  }

  text(key: string, otherwise: string): string {
    return this.has(key) ? String(this.get(key)) : otherwise;
  }

  file(key: string): string | undefined {
    return this.has(key) && this.get(key) !== "" ? String(this.get(key)) : undefined;
  }

  flag(key: string, otherwise = false): boolean {
    const value = this.get(key);
    if (value === undefined || value === null) return otherwise;
    return typeof value === "string" ? !/^(?:false|no|off|0|)$/i.test(value) : Boolean((value as boolean).valueOf());
  }

  number(key: string, otherwise: number): number {
    if (!this.has(key)) return otherwise;
    const value = Number(this.get(key));
    if (Number.isFinite(value) && value >= 0) return value;
    throw new ConfigError(`${this.#name}: ${key} is "${this.get(key)}": expected a number that is not negative`);
  }

  texts(key: string): readonly string[] | undefined {
    if (!this.has(key)) return undefined;
    return [this.get(key)].flat().map(String);
  }
}
