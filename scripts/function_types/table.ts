/** The table of a family as TypeScript: an interface with a line for each function. */
import type { Declared } from "./declared_functions.ts";
import { union } from "./return_types.ts";
import { signatureText } from "./signature_text.ts";

/** Names that types of the table may use: file → those that it exports. */
const SHARED = {
  "../../protocol/wire/msgpack_values.ts": ["Float"],
  "./shapes.ts": ["FunctionSignature", "StateReturns", "UserRecord"],
  "./signature_types.ts": ["FunctionType"],
};

/**
 * The text of a file of the table. Functions of one name in several files are one.
 *
 * @param returnOf the type of what a function returns
 */
export function tableText(
  interfaceName: string,
  about: string,
  functions: readonly Declared[],
  returnOf: (one: Declared) => string,
): string {
  const rows = [...Map.groupBy(functions, ({ name }) => name)].sort(([a], [b]) => a < b ? -1 : 1);
  const body = rows.map(([name, same]) =>
    `  /** ${same[0]!.doc} */ "${name}": FunctionType<${JSON.stringify(signatureText(same))}, ${
      union(same.map(returnOf))
    }>;\n`
  ).join("");
  const imports = Object.entries(SHARED).map(([file, names]): [string, string[]] => [
    file,
    names.filter((name) => new RegExp(`\\b${name}\\b`).test(body)),
  ]).filter(([, names]) => names.length > 0).map(([file, names]) =>
    `import type { ${names.join(", ")} } from "${file}";\n`
  );
  return `// deno-fmt-ignore-file\n// Written by scripts/function_types.ts (npm run -s types:functions) from the signatures of the modules: do not edit.\n` +
    `${imports.join("")}\n${about}\nexport interface ${interfaceName} {\n${body}}\n`;
}
