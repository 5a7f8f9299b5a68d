/** `module.function`, or `module.sub.function` as some custom modules have it. */
const FUNCTION_NAME = /^[A-Za-z_][\w-]*(\.[\w-]+)*$/;

/** Bounds of what is matched with every rule of a user. */
const MAX_NAME = 256;
const MAX_FUNCTIONS = 1000;

/** What is malformed in the field `fun`, a function's name or a list of names; undefined if nothing is. */
export function functionsFault(fun: unknown): string | undefined {
  const functions = [fun].flat();
  if (functions.length === 0 || !functions.every((name) => typeof name === "string" && FUNCTION_NAME.test(name))) {
    return `fun is not a function name or a list of them`;
  }
  if (functions.length > MAX_FUNCTIONS || functions.some((name) => String(name).length > MAX_NAME)) {
    return `fun has more than ${MAX_FUNCTIONS} functions, or a name of more than ${MAX_NAME} characters`;
  }
  return undefined;
}
