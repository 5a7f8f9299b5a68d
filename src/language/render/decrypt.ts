import { SaltError } from "../../base/errors.ts";
import { entriesOf, isMap, OrderedMap, str } from "../python/values.ts";
import type { Pipeline } from "./pipeline.ts";
import type { RenderJob } from "./renderer.ts";

/** A value cannot be decrypted as requested; the message is Salt's. */
class DecryptError extends SaltError {
  constructor(message: string) {
    super("RENDER", message);
  }
}

interface Decryption {
  renderer: string;
  /** The option `decrypt_pillar_renderers`: the renderers that may be used; a missing or invalid list means all. */
  allowed: unknown;
  /** True if `\n` (a backslash and an `n`) means a new line, as in values on a command line. @default false */
  hasEscapedLines?: boolean;
}

/** The settings of a host for values that are decrypted outside of files. */
export function decryptionOf(opts: Readonly<Record<string, unknown>>): Decryption {
  return { renderer: str(opts.decrypt_pillar_default ?? "gpg"), allowed: opts.decrypt_pillar_renderers ?? ["gpg"] };
}

function withLines(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll("\\n", "\n");
  if (Array.isArray(value)) return value.map(withLines);
  return isMap(value) ? new OrderedMap(entriesOf(value).map(([key, item]) => [key, withLines(item)])) : value;
}

/**
 * Decrypts a text, or the texts in lists and maps, by a renderer.
 *
 * @throws {DecryptError} for a renderer that may not be used, or does not exist
 * @throws {RenderError} if the renderer fails
 * @see salt/utils/crypt.py decrypt
 */
export async function decryptValue(
  pipeline: Pipeline,
  value: unknown,
  { renderer, allowed, hasEscapedLines = false }: Decryption,
  job: Omit<RenderJob, "argline">,
): Promise<unknown> {
  if (Array.isArray(allowed) && allowed.length > 0 && !allowed.includes(renderer)) {
    const valid = allowed.map(str).join(", ");
    throw new DecryptError(`'${renderer}' is not a valid decryption renderer. Valid choices are: ${valid}`);
  }
  const render = await pipeline.rendererNamed(renderer);
  if (render === undefined) throw new DecryptError(`Decryption renderer '${renderer}' is not available`);
  return await render(hasEscapedLines ? withLines(value) : value, { ...job, argline: "" });
}
