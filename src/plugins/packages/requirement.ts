/** Requirements of Python packages as pip reads them: `name[extra]>=1.0,<2; marker`, or a place. */
import type { Specifier } from "./pep440.ts";

export interface Requirement {
  /** Empty for a place of which no name is known. */
  name: string;
  specifiers: Specifier[];
}

const NAME = /^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[[^\]]*\])?\s*(.*)$/;

const plainName = (name: string): string => name.replace(/[^A-Za-z0-9.]+/g, "-");

/** @throws {SyntaxError} if it is none, with what is wrong */
export function parseRequirement(text: string): Requirement {
  const wheel = /([^/\\]+)\.whl$/.exec(text)?.[1]?.split("-");
  if (wheel !== undefined) return { name: plainName(wheel[0]!), specifiers: [["==", wheel[1] ?? ""]] };
  if (/^[a-z][a-z0-9+.-]*:|^\.{0,2}\/|^\.$|\.(?:zip|tar\.\w+|tgz)$/i.test(text)) return { name: "", specifiers: [] };
  const [, name, rest = ""] = NAME.exec(text.split(/\s*;/)[0]!.trim()) ?? [];
  if (name === undefined) throw new SyntaxError(`Invalid requirement: '${text}'`);
  if (rest.startsWith("@")) return { name: plainName(name), specifiers: [] };
  const list = rest.replace(/^\((.*)\)$/, "$1").trim();
  const specifiers = list === "" ? [] : list.split(",").map((part): Specifier => {
    const [, operator, version] = /^\s*(===|==|!=|~=|<=|>=|<|>)\s*(\S+)\s*$/.exec(part) ?? [];
    if (operator === undefined) throw new SyntaxError(`Invalid requirement: '${text}'`);
    return [operator, version!];
  });
  return { name: plainName(name), specifiers };
}
