import { messageOf } from "../../base/errors.ts";
import { isMap, str, truthy } from "../../language/python/values.ts";
import { templateValues } from "../../language/render/host_values.ts";
import { Pipeline } from "../../language/render/pipeline.ts";
import { createRenderers } from "../../language/render/renderers.ts";
import type { ReturnerContext, ReturnerModule } from "../../model/loader/family.ts";
import { numberOption, returnerOptions, wholeReturn } from "./options.ts";
import { sendMail } from "./smtp_session.ts";

const TEMPLATE = [
  "id: {{id}}",
  "function: {{fun}}",
  "function args: {{fun_args}}",
  "jid: {{jid}}",
  "return: {{return}}",
  "",
]
  .join("\r\n");

const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** A time as mails have it: `Mon, 02 Jan 2006 15:04:05 +0100`. */
function mailDate(at: Date): string {
  const two = (number: number) => String(number).padStart(2, "0");
  const east = -at.getTimezoneOffset();
  const zone = `${east < 0 ? "-" : "+"}${two(Math.floor(Math.abs(east) / 60))}${two(Math.abs(east) % 60)}`;
  const day = `${DAYS[at.getDay()]}, ${two(at.getDate())} ${MONTHS[at.getMonth()]} ${at.getFullYear()}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())} ${zone}`;
}

/** A text for one line of a header: what a minion returned must not begin another one. */
function headerText(text: string): string {
  const line = text.replace(/[\r\n]+/g, " ").trim();
  if (/^[\x20-\x7e\t]*$/.test(line)) return line;
  const bytes = Array.from(new TextEncoder().encode(line), (byte) => String.fromCharCode(byte)).join("");
  return `=?utf-8?B?${btoa(bytes)}?=`;
}

const optionsOf = (context: ReturnerContext) =>
  returnerOptions(context, "smtp", {
    from: undefined as unknown,
    to: undefined as unknown,
    host: undefined as unknown,
    port: 25 as unknown,
    username: undefined as unknown,
    password: undefined as unknown,
    subject: "Email from Salt" as unknown,
    gpgowner: undefined as unknown,
    fields: "" as unknown,
    tls: false as unknown,
    renderer: "jinja" as unknown,
    template: undefined as unknown,
  });

type Options = ReturnType<typeof optionsOf>;

/** An option that every mail needs. */
function required(options: Options, name: "from" | "to" | "host"): string {
  const value = options[name];
  if (typeof value !== "string") throw new TypeError(`Cannot send mail: set smtp.${name}`);
  if (/[\r\n]/.test(value)) throw new TypeError(`Cannot send mail: smtp.${name} has a line break`);
  return value;
}

/** Renders the templates of a mail, with the fields of a return for names. */
function templates(context: ReturnerContext, options: Options, ret: Record<string, unknown>) {
  const { runtime, opts, log } = context;
  const names = (value: unknown): string[] | undefined => Array.isArray(value) ? value.map(String) : undefined;
  const [whitelist, blacklist] = [names(opts.renderer_whitelist), names(opts.renderer_blacklist)];
  const pipeline = new Pipeline({
    renderers: createRenderers(runtime),
    fallback: str(options.renderer),
    ...whitelist === undefined ? {} : { whitelist },
    ...blacklist === undefined ? {} : { blacklist },
  });
  const mapOf = (value: unknown) => isMap(value) ? value : {};
  const { globals, plain, typeNames } = templateValues({
    grains: mapOf(opts.grains),
    pillar: mapOf(opts.pillar),
    opts,
  });
  return async (source: string, path: string): Promise<string> => {
    const job = { path, saltenv: "base", globals, plain, typeNames, context: ret, log };
    return str(await pipeline.render(source, job));
  };
}

function templateText({ runtime }: ReturnerContext, path: unknown): [source: string, path: string] {
  if (!truthy(path)) return [TEMPLATE, "smtp.template"];
  try {
    return [runtime.fs.readText(str(path)), str(path)];
  } catch (error) {
    throw new Error(`Cannot send mail: smtp.template cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

async function mail(context: ReturnerContext, given: Record<string, unknown>): Promise<void> {
  const ret = wholeReturn(given);
  const options = optionsOf(context);
  const [from, to, host] = [required(options, "from"), required(options, "to").split(","), required(options, "host")];
  if (truthy(options.gpgowner)) {
    throw new TypeError("Cannot encrypt mail: remove smtp.gpgowner, and send only what may be read on the way");
  }
  const render = templates(context, options, ret);
  const fields = str(options.fields).split(",").filter((field) => Object.hasOwn(ret, field));
  // Only the option is a template: what a minion returns must not be one.
  const subject = [await render(str(options.subject), "smtp.subject"), ...fields.map((field) => str(ret[field]))].join(
    " ",
  );
  const body = await render(...templateText(context, options.template));
  const plain = /^[\0-\x7f]*$/.test(body);
  const headers = [
    `From: ${headerText(from)}`,
    `To: ${headerText(to.join(", "))}`,
    `Date: ${mailDate(new Date(context.runtime.clock.now()))}`,
    `Subject: ${headerText(subject)}`,
    ...plain ? [] : ["MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: 8bit"],
  ];
  const word = (value: unknown) => truthy(value) ? str(value) : undefined;
  await sendMail(
    context.runtime.net,
    {
      host,
      port: numberOption("smtp.port", options.port),
      tls: options.tls === true,
      username: word(options.username),
      password: word(options.password),
    },
    { from, to, text: `${headers.join("\r\n")}\r\n\r\n${body}` },
    context.runtime.host.hostname(),
    (address, reason) => context.log.warning("a recipient of a mail was refused", { address, reason }),
  );
}

/**
 * Sends each return, or each event of a master, as a mail. Options: `smtp.from`, `.to` (with commas), `.host`, `.port`, `.username`,
 * `.password`, `.tls` (STARTTLS), `.subject`, `.fields` of the return that are added to it, `.template` and `.renderer`.
 *
 * @see salt/returners/smtp_return.py
 */
export const returner: ReturnerModule = {
  fromJob: ["fields", "subject"],
  returner: mail,
  async eventReturn(context, { events }) {
    let sent = 0;
    for (const { data, tag } of events) {
      if (!truthy(data)) continue;
      try {
        await mail(context, data);
        sent += 1;
      } catch (error) {
        // All are passed again after an error: nobody wants a mail twice.
        if (sent === 0) throw error;
        context.log.error("event not mailed", { tag, error: messageOf(error) });
      }
    }
  },
};
