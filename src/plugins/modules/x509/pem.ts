import { type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { str } from "../../../language/python/values.ts";
import { sourceBytes } from "./read.ts";

function pattern(label: string): RegExp {
  return new RegExp(
    `\\s*(?<header>-----BEGIN (?:${label})-----)\\s+(?:(?<proc>Proc-Type: 4,ENCRYPTED)\\s*)?` +
      "(?:(?<dek>DEK-Info: (?:DES-[3A-Z\\-]+,[0-9A-F]{16}|[0-9A-Z\\-]+,[0-9A-F]{32}))\\s*)?" +
      `(?<body>[^]+?)\\s+(?<footer>-----END (?:${label})-----)\\s*`,
  );
}

/** The lines of a PEM whose line ends were lost. */
function withLines(text: string): string {
  if (text.includes("\n") || !text.startsWith("-----") || !text.endsWith("-----")) return text;
  return text.split(/(-----[^-]+-----)/).filter((part) => part !== "")
    .flatMap((part) => part.startsWith("-----") ? [part] : part.match(/.{1,64}/g) ?? []).join("\n");
}

/**
 * One entry of a PEM in its proper form.
 *
 * @param type what stands after BEGIN, an expression; null for any
 * @throws {SaltInvocationError} if there is none
 */
export function pemEntry(context: JobContext, source: unknown, type: unknown): string {
  const text = withLines(new TextDecoder().decode(sourceBytes(context, source)).replaceAll("\\n", "\n"));
  const wanted = type === null || type === "" ? undefined : str(type);
  const found = pattern(wanted ?? "[0-9A-Z ]+").exec(text)?.groups;
  if (found === undefined) {
    throw new SaltInvocationError(
      wanted === undefined
        ? `PEM text not valid:\n${text}`
        : `PEM does not contain a single entry of type ${wanted}:\n${text}`,
    );
  }
  const { header, proc, dek, body = "", footer } = found;
  const lines = body.replace(/\s/g, "").match(/.{1,64}/g) ?? [];
  const heads = [...(proc === undefined ? [] : [proc]), ...(dek === undefined ? [] : [dek, ""])];
  return [header, ...heads, ...lines, footer, ""].join("\n");
}
