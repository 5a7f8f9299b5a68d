import { PythonObject } from "./values.ts";

export class PythonRange extends PythonObject {
  override readonly typeName = "range";
  readonly start: number;
  readonly stop: number;
  readonly step: number;

  constructor(start: number, stop: number, step = 1) {
    super();
    this.start = start;
    this.stop = stop;
    this.step = step;
  }

  get length(): number {
    return Math.max(0, Math.ceil((this.stop - this.start) / this.step));
  }

  at(index: number): number | undefined {
    const place = index < 0 ? this.length + index : index;
    return place >= 0 && place < this.length ? this.start + place * this.step : undefined;
  }

  *[Symbol.iterator](): Generator<number> {
    const { length } = this;
    for (let at = 0; at < length; at++) yield this.start + at * this.step;
  }

  override repr(): string {
    return this.step === 1 ? `range(${this.start}, ${this.stop})` : `range(${this.start}, ${this.stop}, ${this.step})`;
  }

  override truth(): boolean {
    return this.length > 0;
  }

  override equals(other: unknown): boolean {
    return other instanceof PythonRange && this.length === other.length &&
      (this.length === 0 || this.start === other.start && (this.length === 1 || this.step === other.step));
  }
}
