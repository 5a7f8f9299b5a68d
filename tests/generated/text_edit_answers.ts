/** What Brine's functions make of the cases of `text_edits.ts`, in the form of `record_text_edits.py`. */
import { currentRuntime } from "../../src/runtime/current.ts";
import { entriesOf, isMap } from "../../src/language/python/values.ts";
import { kwargs, testMinion } from "../support/context.ts";
import { stateCaller } from "../support/state_calls.ts";
import { inTemporary } from "../plugins/temporary.ts";
import type { EditCase } from "./text_edits.ts";

export interface EditAnswer {
  return?: unknown;
  /** The class of the exception. */
  raised?: string;
  /** What is in the directory then: name → Base64. */
  files: Record<string, string>;
}

const base64 = (bytes: Uint8Array) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
const bytesOf = (text: string) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

/** A value as JSON has it, with another text in the place of one. */
function plain(value: unknown, from: string, to: string): unknown {
  if (value instanceof Uint8Array) return { $bytes: base64(value) };
  if (typeof value === "string") return value.replaceAll(from, to);
  if (Array.isArray(value)) return value.map((item) => plain(item, from, to));
  if (isMap(value)) {
    return Object.fromEntries(
      entriesOf(value).map(([key, item]) => [String(plain(key, from, to)), plain(item, from, to)]),
    );
  }
  return value instanceof Number ? Number(value) : value ?? null;
}

export async function ourAnswer({ fun, args, before }: EditCase): Promise<EditAnswer> {
  const runtime = await currentRuntime();
  return await inTemporary(runtime, async (directory) => {
    const dir = `${directory}/d`;
    runtime.fs.mkdir(dir, 0o755);
    runtime.fs.write(`${dir}/f`, bytesOf(before));
    const opts = { "hosts.file": `${dir}/f`, cachedir: `${directory}/cache` };
    const given = plain(args, "{dir}", dir) as Record<string, unknown>;
    const files = () =>
      Object.fromEntries(runtime.fs.list(dir).sort().map((name) => [name, base64(runtime.fs.read(`${dir}/${name}`))]));
    try {
      const value = fun.startsWith("state:")
        ? await (await stateCaller({ opts }))(fun.slice("state:".length), given)
        : await (await testMinion({ opts })).value(fun, kwargs(given));
      return { return: plain(value, dir, "{dir}"), files: files() };
    } catch (error) {
      return { raised: String(error), files: files() };
    }
  });
}
