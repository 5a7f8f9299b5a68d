/**
 * A Python value that is neither a number, a text, a list nor a map: a range, an iterator, an undefined value. Its class defines
 * how Python names, prints and tests the value.
 */
export abstract class PythonObject {
  /** The name of the value's type, as in `type(value).__name__`. */
  abstract readonly typeName: string;

  /** Python's `repr()`. */
  abstract repr(): string;

  /** Python's `str()`. */
  str(): string {
    return this.repr();
  }

  /** Python's `bool()`. */
  truth(): boolean {
    return true;
  }

  /** Python's `==` with a value that is not the same object. */
  equals(_other: unknown): boolean {
    return false;
  }
}
