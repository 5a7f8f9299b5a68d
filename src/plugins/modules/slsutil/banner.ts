import { SaltInvocationError } from "../../../model/loader/family.ts";
import { str, truthy } from "../../../language/python/values.ts";
import { wrap } from "../../../language/python/textwrap.ts";

const TITLE = "THIS FILE IS MANAGED BY SALT - DO NOT EDIT";
const TEXT =
  "The contents of this file are managed by Salt. Any changes to this file may be overwritten automatically and " +
  "without warning.";
/** Columns that a banner may have. */
const WIDEST = 10_000;

function centered(text: string, width: number): string {
  const room = Math.max(0, width - text.length);
  const left = Math.floor(room / 2) + (room & width & 1);
  return " ".repeat(left) + text + " ".repeat(room - left);
}

/** The function `slsutil.banner`: a comment for the top of a managed file. */
export function banner(args: Record<string, unknown>): string {
  const { commentchar: mark, borderchar, blockstart, blockend, title, text, newline } = args;
  const width = Number(args.width);
  const comment = str(mark);
  const [left, right] = [comment.trimEnd(), comment.trim()];
  const room = width - left.length - right.length - 2;
  // Not above zero covers what is no number too.
  if (!(room > 0 && width <= WIDEST)) throw new SaltInvocationError("Width is too small to render banner");
  const border = comment + str(borderchar).slice(0, 1).repeat(width - left.length - right.length) + right;
  const spacer = comment + " ".repeat(Math.max(0, width - comment.length * 2)) + comment;
  const line = (inner: string) => `${left} ${inner} ${right}`;
  const lines = [
    ...blockstart === null ? [] : [str(blockstart)],
    border,
    spacer,
    ...wrap(str(title ?? TITLE), room).map((one) => line(centered(one, room))),
    spacer,
    ...wrap(str(text ?? TEXT), room).map((one) => line(one + " ".repeat(Math.max(0, room - one.length)))),
    border,
    ...blockend === null ? [] : [str(blockend)],
  ];
  return lines.join("\n") + (truthy(newline) ? "\n" : "");
}
