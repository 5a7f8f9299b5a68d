import { Float, floatRepr } from "./values.ts";

/** How a number is written. */
export interface NumberFormat {
  /** The type: `d`, `x`, `X`, `o`, `b`, `e`, `E`, `f`, `F`, `g`, `G`, `%`, or empty for Python's `str()`. */
  type: string;
  precision: number | undefined;
  sign: "-" | "+" | " ";
  /** Python's `#`: writes `0x` before hexadecimal digits, and always a decimal point. */
  alternate: boolean;
  /** The number of characters up to which zeros are filled in after the sign; 0 for none. */
  width: number;
  /** The separator between groups of digits: `,`, `_` or empty. */
  grouping: string;
}

const BASES: Readonly<Record<string, [base: number, prefix: string]>> = {
  x: [16, "0x"],
  X: [16, "0X"],
  o: [8, "0o"],
  b: [2, "0b"],
};

/** A number as Python's format types write it. */
export function formatNumber(value: number | bigint | Float, format: NumberFormat): string {
  const { type, alternate, sign, width } = format;
  const number = typeof value === "bigint" ? value : Number(value);
  const isNegative = number < 0 || Object.is(number, -0);
  let body: string;
  let prefix = "";
  if (type in BASES) {
    const [base, mark] = BASES[type]!;
    body = BigInt(number).toString(base).replace("-", "");
    if (type === "X") body = body.toUpperCase();
    if (alternate) prefix = mark;
  } else if (
    type === "d" || type === "" && !(value instanceof Float) && (typeof number === "bigint" || Number.isInteger(number))
  ) {
    body = BigInt(number).toString().replace("-", "");
  } else {
    body = floatBody(Math.abs(Number(number)), format);
  }
  const lead = (isNegative ? "-" : sign === "-" ? "" : sign) + prefix;
  return lead + grouped(body, format, width - lead.length);
}

function floatBody(value: number, { type, precision = 6, alternate }: NumberFormat): string {
  if (!Number.isFinite(value)) {
    const word = Number.isNaN(value) ? "nan" : "inf";
    return (type >= "A" && type <= "Z" ? word.toUpperCase() : word) + (type === "%" ? "%" : "");
  }
  switch (type) {
    case "f":
    case "F":
      return fixed(value, precision) + (alternate && precision === 0 ? "." : "");
    case "%":
      return `${fixed(value * 100, precision)}%`;
    case "e":
    case "E":
      return exponent(value, precision, type);
    case "":
      return floatRepr(value);
  }
  const digits = precision === 0 ? 1 : precision;
  const power = value === 0 ? 0 : Number(value.toExponential(digits - 1).split("e")[1]);
  const isShort = power >= -4 && power < digits;
  const text = isShort ? fixed(value, digits - 1 - power) : exponent(value, digits - 1, type === "G" ? "E" : "e");
  if (alternate) return text;
  const [mantissa = "", rest] = text.split(/(?=[eE])/);
  return (mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa) + (rest ?? "");
}

/** As `toFixed`, but exact halves are rounded to the even neighbor, as Python does. */
function fixed(value: number, precision: number): string {
  const places = Math.min(precision, 100);
  if (value >= 1e21) return `${BigInt(value)}${places > 0 ? `.${"0".repeat(places)}` : ""}`;
  const exact = value.toFixed(Math.min(100, places + 60));
  const cut = exact.indexOf(".") + 1 + places;
  let text = value.toFixed(places);
  if (places < 40 && /^50*$/.test(exact.slice(cut))) {
    const down = exact.slice(0, places === 0 ? cut - 1 : cut);
    if (Number(down.at(-1)) % 2 === 0) text = down;
  }
  return text + "0".repeat(precision - places);
}

function exponent(value: number, precision: number, letter: string): string {
  const [mantissa, power = "0"] = value.toExponential(Math.min(precision, 100)).split("e");
  const number = Number(power);
  return `${mantissa}${letter}${number < 0 ? "-" : "+"}${String(Math.abs(number)).padStart(2, "0")}`;
}

/** Adds separators between groups of digits, and leading zeros up to the width. */
function grouped(body: string, { grouping, type }: NumberFormat, width: number): string {
  const [, digits = "", rest = ""] = /^([\da-fA-F]*)([^]*)$/.exec(body)!;
  if (grouping === "") return "0".repeat(Math.max(0, width - body.length)) + body;
  const every = type in BASES ? 4 : 3;
  let all = digits;
  const cut = (text: string) => text.replace(new RegExp(`\\B(?=(?:.{${every}})+$)`, "g"), grouping);
  while (cut(all).length + rest.length < width) all = `0${all}`;
  return cut(all) + rest;
}
