import { parseSignature, type Signature } from "../model/loader/signature.ts";
import { repr } from "../language/python/values.ts";
import { PARAMETERS } from "./parameters.ts";

interface Described {
  signature: string | Signature;
  doc: string;
}

function meaning(module: string, fun: string, name: string): string | undefined {
  const key = [`${module}.${fun}.${name}`, `${module}.${name}`, name].find((one) => Object.hasOwn(PARAMETERS, one));
  return key === undefined ? undefined : PARAMETERS[key];
}

/** Parameters that a text explains itself, in lines such as `runas, group: the user and group that it runs as`. */
function explained(doc: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [, list = ""] of doc.matchAll(/^([a-z_]\w*(?:, [a-z_]\w*)*): /gm)) {
    for (const name of list.split(", ")) names.add(name);
  }
  return names;
}

/** The text of a function with its parameters below: each with its default, and what it means unless the text says so. */
export function documentationOf(module: string, fun: string, { signature, doc }: Described): string {
  if (doc === "") return doc;
  const { params, varargs, keywords } = parseSignature(signature);
  const known = explained(doc);
  const shown = [
    ...params.map((param) => ({
      name: param.name,
      head: "default" in param ? `${param.name}=${repr(param.default)}` : param.name,
    })),
    ...(varargs === undefined ? [] : [{ name: varargs, head: `*${varargs}` }]),
    ...(keywords === undefined ? [] : [{ name: keywords, head: `**${keywords}` }]),
  ].filter(({ name }) => !known.has(name));
  if (shown.length === 0) return doc;
  const lines = shown.map(({ name, head }) => {
    const text = meaning(module, fun, name);
    return text === undefined ? `    ${head}` : `    ${head}: ${text}`;
  });
  return `${doc}\n\nArguments:\n\n${lines.join("\n")}`;
}

/** The functions of a module with such texts, each made when it is first read. */
export function documented<T extends Described>(module: string, functions: Record<string, T>): Record<string, T> {
  return Object.fromEntries(
    Object.entries(functions).map(([fun, body]) => {
      let text: string | undefined;
      const copy = { ...body };
      Object.defineProperty(copy, "doc", {
        get: () => text ??= documentationOf(module, fun, body),
        enumerable: true,
        configurable: true,
      });
      return [fun, copy];
    }),
  );
}
