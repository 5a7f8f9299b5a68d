/** Prints nothing. */
export function quiet(): string {
  return "";
}
