import { entriesOf, isMap, OrderedMap } from "../python/values.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { runGpg } from "./gpg_program.ts";
import { RenderError } from "./render_error.ts";
import type { Renderer } from "./renderer.ts";

const MESSAGE = /-----BEGIN PGP MESSAGE-----[^]*?-----END PGP MESSAGE-----/g;
/** The time for one message, in milliseconds. */
const DECRYPT_MS = 60_000;
/** The most bytes of a decrypted message: a small message may expand to a large one. */
const MAX_BYTES = 16 * 1024 * 1024;
/** The most characters of gpg's messages that are shown. */
const SHOWN = 1000;

type Host = Pick<Runtime, "process" | "clock">;

interface Decrypted {
  /** The decrypted text; undefined if gpg returned none. */
  text: string | undefined;
  said: string;
}

async function decrypt(host: Host, message: string, home: string): Promise<Decrypted> {
  const { output, said } = await runGpg(host, {
    args: ["--homedir", home, "--status-fd", "2", "--no-tty", "-d"],
    stdin: new TextEncoder().encode(message),
    timeoutMs: DECRYPT_MS,
    largest: MAX_BYTES,
  });
  if (output === undefined) return { text: undefined, said: `it holds more than ${MAX_BYTES} bytes` };
  return { text: output.length === 0 ? undefined : new TextDecoder().decode(output), said: said.slice(0, SHOWN) };
}

/**
 * Decrypts values in PGP armor, in texts, lists and maps, with the program gpg: `#!jinja|yaml|gpg`. A value that gpg cannot decrypt
 * stays unchanged, with a warning.
 *
 * @see salt/renderers/gpg.py
 */
export function gpg(host: Host): Renderer {
  return async (input, { path, log, gpg: options }) => {
    if (options === undefined) {
      throw new RenderError(path, "values are not decrypted here: there is no directory of keys");
    }
    const decryptText = async (text: string): Promise<string> => {
      const messages = text.match(MESSAGE);
      if (messages === null) return text;
      const plain: string[] = [];
      for (const message of messages) {
        const { text: got, said } = await tryDecrypt(message);
        if (got === undefined && options.mustSucceed) {
          throw new RenderError(path, `Could not decrypt cipher, gpg says: ${said.trim()}`);
        }
        if (got === undefined) log.warning("value not decrypted", { path, reason: said.trim() });
        plain.push(got ?? message);
      }
      return text.replace(MESSAGE, () => plain.shift()!).replace(/\n+$/, "");
    };
    const tryDecrypt = async (message: string): Promise<Decrypted> => {
      try {
        return await decrypt(host, message, options.home);
      } catch (cause) {
        throw new RenderError(path, "GPG unavailable: install the program gpg", {}, { cause });
      }
    };
    // A value that aliases repeat is decrypted once, and stays one value.
    const done = new Map<unknown, unknown>();
    const walk = async (value: unknown): Promise<unknown> => {
      if (typeof value === "string") return await decryptText(value);
      if (done.has(value)) return done.get(value);
      if (Array.isArray(value)) {
        const items: unknown[] = [];
        done.set(value, items);
        for (const item of value) items.push(await walk(item));
        return items;
      }
      if (!isMap(value)) return value;
      const map = new OrderedMap();
      done.set(value, map);
      for (const [key, item] of entriesOf(value)) map.set(key, await walk(item));
      return map;
    };
    return await walk(input);
  };
}
