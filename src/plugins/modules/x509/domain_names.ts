import { CommandExecutionError } from "../../../model/loader/family.ts";
import { repr, typeName } from "../../../language/python/values.ts";

const DOTS = /[.\u3002\uff0e\uff61]/;
const LONGEST_LABEL = 63;
const LONGEST_NAME = 253;

function checkLabel(label: string, allowed: RegExp): void {
  const at = [...label].findIndex((character) => !allowed.test(character));
  if (at >= 0) {
    const code = [...label][at]!.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
    throw new CommandExecutionError(`Codepoint U+${code} at position ${at + 1} of ${repr(label)} not allowed`);
  }
}

/** A label in ASCII: as it is, or by the rules for names in other scripts. */
function asciiLabel(label: string): string {
  if (label === "") throw new CommandExecutionError("Empty Label");
  // deno-lint-ignore no-control-regex
  if (/^[\x00-\x7f]*$/.test(label)) {
    const lower = label.toLowerCase();
    if (/^..--/.test(lower) && !lower.startsWith("xn--")) {
      throw new CommandExecutionError("Label has disallowed hyphens in 3rd and 4th position");
    }
    if (lower.startsWith("-") || lower.endsWith("-")) {
      throw new CommandExecutionError("Label must not start or end with a hyphen");
    }
    checkLabel(lower, /[a-z0-9-]/);
    if (label.length > LONGEST_LABEL) throw new CommandExecutionError("Label too long");
    return label;
  }
  let ascii: string;
  try {
    ascii = new URL(`http://${label}/`).hostname;
  } catch {
    ascii = "";
  }
  if (!/^xn--[a-z0-9-]+$/.test(ascii) || label !== label.toLowerCase()) {
    throw new CommandExecutionError(`The label ${repr(label)} cannot be written as an internationalized domain name`);
  }
  if (ascii.length > LONGEST_LABEL) throw new CommandExecutionError("Label too long");
  return ascii;
}

/**
 * The name of a host in ASCII, without wildcards.
 *
 * @param options `leadingDot`: a dot may stand before it, which means everything below
 * @throws {CommandExecutionError} if it is none
 */
export function hostName(domain: unknown, { leadingDot }: { leadingDot: boolean }): string {
  if (typeof domain !== "string") {
    throw new CommandExecutionError(`Expected string value, got ${typeName(domain)}: \`${repr(domain)}\``);
  }
  if (domain === "") throw new CommandExecutionError("Empty domain");
  const dotted = DOTS.test(domain[0]!);
  if (DOTS.test(domain.at(-1)!)) throw new CommandExecutionError("Trailing dots are not allowed in this context");
  if (dotted && !leadingDot) throw new CommandExecutionError("Leading dots are not allowed in this context");
  const rest = dotted ? domain.slice(1) : domain;
  if (rest.includes("*")) throw new CommandExecutionError("Wildcards are not allowed in this context");
  const name = rest.split(DOTS).map(asciiLabel).join(".");
  if (name.length > LONGEST_NAME) throw new CommandExecutionError("Domain too long");
  return dotted ? `.${name}` : name;
}

/** The name of a host in ASCII, which may have wildcards. @throws {CommandExecutionError} if it is none */
export function wildcardName(domain: unknown, { trailingDot = false } = {}): string {
  if (typeof domain === "string" && !domain.includes("*") && !(trailingDot && DOTS.test(domain.at(-1) ?? ""))) {
    return hostName(domain, { leadingDot: false });
  }
  if (typeof domain !== "string") return hostName(domain, { leadingDot: false });
  const labels = domain.split(DOTS);
  const ends = labels.at(-1) === "";
  if (ends && !trailingDot) throw new CommandExecutionError("Trailing dots are not allowed in this context");
  if (ends) labels.pop();
  if (labels[0] === "") throw new CommandExecutionError("Leading dots are not allowed in this context");
  const encoded = labels.map((label) => {
    if (!label.includes("*")) return asciiLabel(label);
    checkLabel(label, /[A-Za-z0-9*-]/);
    if (label.startsWith("-") || label.endsWith("-")) {
      throw new CommandExecutionError("Label must not start or end with a hyphen");
    }
    if (label.replaceAll("*", "").length > LONGEST_LABEL) throw new CommandExecutionError("Label too long");
    return label;
  });
  const name = encoded.join(".");
  if (name.replaceAll("*", "").length > LONGEST_NAME) throw new CommandExecutionError("Domain too long");
  return ends ? `${name}.` : name;
}
