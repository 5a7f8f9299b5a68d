import type { StateContext, StateReturn } from "../../../model/loader/states.ts";
import { type AnyMap, type Args, entriesOf, equal, isMap, str, truthy } from "../../../language/python/values.ts";
import { updated } from "../../../language/python/update.ts";
import { isDirectory, isFile } from "../../linux/paths.ts";
import { checkManagedChanges } from "../../modules/file/check_managed.ts";
import { manageFile } from "../../modules/file/manage.ts";
import { modeComplaint, normalizeMode, pathOf } from "../../modules/file/stats.ts";
import { pythonError } from "../../python_errors.ts";
import { type NamedSerializer, serializerNamed } from "../../serializers/named.ts";
import { DeserializationError } from "../../serializers/serializer.ts";
import { encodingComplaint } from "./comment.ts";
import { failed, type FileReturn } from "./ret.ts";

const JSON_LAYOUT: Args = { indent: 2, separators: [",", ": "], sort_keys: true };

/** Options as a map, or as a list of maps with one key each. */
function optionsOf(value: unknown): Args {
  if (isMap(value)) return Object.fromEntries(entriesOf(value).map(([key, of]) => [str(key), of]));
  if (!Array.isArray(value)) return {};
  return Object.assign({}, ...value.map((one) => isMap(one) ? optionsOf(one) : {}));
}

function layoutOf(format: string, encoding: unknown): Args {
  if (format === "yaml") return { default_flow_style: false, ...(truthy(encoding) ? { allow_unicode: true } : {}) };
  if (format === "json") return { ...JSON_LAYOUT, ...(truthy(encoding) ? { ensure_ascii: false } : {}) };
  return {};
}

/** What is new or other in a map, as `{new, old}`; keys that are gone are left out. */
function differences(now: AnyMap, before: AnyMap): Args {
  const found: Args = {};
  const had = new Map(entriesOf(before));
  for (const [key, value] of entriesOf(now)) {
    const old = had.get(key);
    if (!had.has(key)) found[str(key)] = { new: value, old: "<_null_>" };
    else if (!equal(value, old)) {
      found[str(key)] = isMap(value) && isMap(old) ? differences(value, old) : { new: value, old };
    }
  }
  return found;
}

/** Data that was merged into what a file has. */
interface Merged {
  dataset: unknown;
  /** What is to be shown of the change; undefined if the file held nothing to merge with. */
  diff?: Args;
}

/** Merges data into what a file has. @returns the return, if the state ends here */
async function merged(
  context: StateContext,
  ret: FileReturn,
  dataset: unknown,
  { format, serializer, options }: { format: string; serializer: NamedSerializer; options: unknown },
): Promise<Merged | FileReturn> {
  const { fs } = context.runtime;
  const name = str(ret.name);
  if (!isFile(fs, name)) return { dataset };
  if (serializer.deserialize === undefined) {
    return failed(ret, `merge_if_exists is not supported for the ${format} serializer`);
  }
  let existing: unknown;
  try {
    existing = await serializer.deserialize(fs.read(name), optionsOf(options));
  } catch (error) {
    if (!(error instanceof DeserializationError) && !(error instanceof TypeError)) throw error;
    return failed(ret, `Failed to deserialize existing data: ${error.message}`);
  }
  if (existing === null || existing === undefined) return { dataset };
  if (!isMap(existing) || !isMap(dataset)) {
    throw pythonError("TypeError", "Cannot update using non-dict types in dictupdate.update()");
  }
  const whole = updated(existing, dataset);
  if (equal(existing, whole)) return Object.assign(ret, { comment: `The file ${name} is in the correct state` });
  return { dataset: whole, diff: differences(whole, existing) };
}

/** The data that a state names. @returns a complaint if there is none, or there are two */
async function datasetOf(
  context: StateContext,
  { dataset, dataset_pillar: path }: Args,
): Promise<{ value: unknown } | string> {
  if (truthy(dataset) && truthy(path)) return "Only one of 'dataset' and 'dataset_pillar' is permitted";
  const value = truthy(path) ? await context.call("pillar.get", [path]) : dataset;
  return value === null ? "Neither 'dataset' nor 'dataset_pillar' was defined" : { value };
}

/** `file.serialize`: a file with data in a format. */
export async function serialize(context: StateContext, args: Args): Promise<StateReturn> {
  const name = pathOf(context, args.name);
  const ret: FileReturn = { changes: {}, comment: "", name, result: true };
  const { formatter, ...kwargs } = args.kwargs as Args;
  if (name === "") return failed(ret, "Must provide name to file.serialize");
  if (!truthy(args.create) && !isFile(context.runtime.fs, name)) {
    return Object.assign(ret, { comment: `File ${name} is not present and is not set for creation` });
  }
  if (truthy(args.serializer) && truthy(formatter)) {
    return failed(ret, "Only one of serializer and formatter are allowed");
  }
  const format = str(truthy(args.serializer) ? args.serializer : truthy(formatter) ? formatter : "yaml").toLowerCase();
  const data = await datasetOf(context, args);
  if (typeof data === "string") return failed(ret, data);
  const serializer = await serializerNamed(context, format);
  if (Array.isArray(serializer)) {
    return failed(
      ret,
      `The ${format} serializer could not be found. It either does not exist or its prerequisites are not installed.`,
    );
  }
  if (isDirectory(context.runtime.fs, name)) return failed(ret, `Specified target ${name} is a directory`);
  const complaint = modeComplaint(args.mode) ?? encodingComplaint(args.encoding);
  if (complaint !== undefined) return failed(ret, complaint);
  let made: Merged = { dataset: data.value };
  if (truthy(args.merge_if_exists)) {
    const done = await merged(context, ret, data.value, { format, serializer, options: args.deserializer_opts });
    if ("result" in done) return done;
    made = done;
  } else if (truthy(args.deserializer_opts)) {
    ret.warnings = ["The 'deserializer_opts' option is ignored unless merge_if_exists is set to True."];
  }
  const layout = { ...layoutOf(format, args.encoding), ...optionsOf(args.serializer_opts) };
  const content = await serializer.serialize(made.dataset, layout);
  const contents = typeof content === "string" ? `${content}\n` : content;
  const done = await stored(context, ret, { ...kwargs, ...args, name, contents, mode: normalizeMode(args.mode) });
  if (made.diff !== undefined) done.changes.diff = made.diff;
  return done;
}

/** What `file.get_managed` and its kin are told of a file that has no source. */
const NO_SOURCE = {
  source: null,
  source_hash: {},
  source_sum: {},
  sfn: "",
  attrs: null,
  template: null,
  context: null,
  defaults: null,
  dir_mode: null,
  follow_symlinks: true,
  keep_mode: false,
  skip_verify: false,
};

async function stored(context: StateContext, ret: FileReturn, given: Args): Promise<FileReturn> {
  const args: Args = { ...given, ...NO_SOURCE, saltenv: context.saltenv };
  if (!context.test) return await manageFile(context, { ...args, ret }) as unknown as FileReturn;
  const changes = await checkManagedChanges(context, { ...args, follow_symlinks: false });
  ret.changes = changes as Args;
  if (!truthy(changes)) return Object.assign(ret, { comment: `The file ${str(ret.name)} is in the correct state` });
  if (!truthy(args.show_changes)) ret.changes.diff = "<show_changes=False>";
  return Object.assign(ret, { result: null, comment: `Dataset will be serialized and stored into ${str(ret.name)}` });
}
