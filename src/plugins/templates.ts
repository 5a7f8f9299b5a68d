import { CommandExecutionError, type JobContext } from "../model/loader/family.ts";
import { isTemplateEngine, Rendering, templateText, unsupportedEngine } from "../model/loader/rendering.ts";
import { type Args, isMap, str, truthy } from "../language/python/values.ts";

/** The environment that templates of a call import from. */
const saltenvOf = (context: JobContext, saltenv: unknown): string =>
  truthy(saltenv) ? str(saltenv) : truthy(context.opts.saltenv) ? str(context.opts.saltenv) : "base";

/** The context with the pillar that a call asks for by `pillar` and `pillarenv`. */
async function withPillar(context: JobContext, { pillar, pillarenv }: Args): Promise<JobContext> {
  if ((pillar ?? null) === null && (pillarenv ?? null) === null) return context;
  const fresh = await context.call("pillar.items", [], { pillar: pillar ?? null, pillarenv: pillarenv ?? null });
  return { ...context, pillar: fresh as Record<string, unknown> };
}

/**
 * Renders names, commands and directories with the engine of an argument `template`; without one they stay as they are. Words of
 * a list are rendered one by one.
 *
 * @param args `template`, `saltenv`, `pillar`, `pillarenv`
 * @throws {CommandExecutionError} if the engine is not there
 */
export async function renderedWords<T extends readonly unknown[]>(
  context: JobContext,
  values: T,
  args: Args,
): Promise<{ [K in keyof T]: T[K] }> {
  if (!truthy(args.template)) return values;
  const engine = str(args.template);
  if (!isTemplateEngine(engine, context)) {
    throw new CommandExecutionError(
      `Attempted to render file paths with unavailable engine ${engine}: ${unsupportedEngine(engine)}`,
    );
  }
  const rendering = new Rendering(await withPillar(context, args));
  const saltenv = saltenvOf(context, args.saltenv);
  const render = async (value: unknown): Promise<unknown> => {
    if (Array.isArray(value)) return await Promise.all(value.map(render));
    return typeof value === "string" ? await rendering.renderTemplate({ source: value, engine, saltenv }) : value;
  };
  return await Promise.all(values.map(render)) as { [K in keyof T]: T[K] };
}

export interface FileTemplate {
  engine: string;
  saltenv: unknown;
  /** Further names: `name`, `source`, `user`, … */
  names?: Args;
  context?: unknown;
  defaults?: unknown;
}

const mapOrNone = (value: unknown) => isMap(value) ? value : undefined;

/** The content of a file, rendered. What is no text stays as it is. @throws {RenderError} in Salt's words */
export async function renderedFile(
  context: JobContext,
  path: string,
  { engine, saltenv, names = {}, context: over, defaults }: FileTemplate,
): Promise<Uint8Array> {
  const bytes = context.runtime.fs.read(path);
  let source: string;
  try {
    source = templateText(bytes, path);
  } catch (error) {
    // As Salt guesses it: a file with a zero byte is no text in a wrong encoding.
    if (bytes.includes(0)) return bytes;
    throw error;
  }
  const text = await new Rendering(context, { isOfRun: true }).renderTemplate({
    source,
    path,
    engine,
    saltenv: saltenvOf(context, saltenv),
    names,
    context: mapOrNone(over),
    defaults: mapOrNone(defaults),
  });
  return new TextEncoder().encode(text);
}

/** A file that is rendered for a function which returns an empty text if that cannot be: `cp.get_template`. */
export async function renderedOrLogged(
  context: JobContext,
  path: string,
  template: FileTemplate,
): Promise<Uint8Array | undefined> {
  if (!isTemplateEngine(template.engine, context)) {
    context.log.error("Attempted to render template with unavailable engine", {
      engine: template.engine,
      problem: unsupportedEngine(template.engine),
    });
    return undefined;
  }
  return await renderedFile(context, path, template);
}
