import { basicAuth } from "../../runtime/http_head.ts";
import { urlSegment } from "../../model/config/url.ts";
import { EventsRefused, type ReturnerContext, type ReturnerModule } from "../../model/loader/family.ts";
import { entriesOf, isMap, lookup, str, truthy } from "../../language/python/values.ts";
import { postAddress, type PostAttempt, postAttempt } from "./http_post.ts";
import { plainValue, toJson } from "./json.ts";
import { numberOption, returnerOptions, wholeReturn } from "./options.ts";

const STATE_FUNCTIONS = ["state.apply", "state.highstate", "state.sls"];

const optionsOf = (context: ReturnerContext) =>
  returnerOptions(context, "elasticsearch", {
    doc_type: "default" as unknown,
    functions_blacklist: [] as unknown,
    index_date: false as unknown,
    master_event_index: "salt-master-event-cache" as unknown,
    master_event_doc_type: "default" as unknown,
    master_job_cache_index: "salt-master-job-cache" as unknown,
    master_job_cache_doc_type: "default" as unknown,
    number_of_shards: 1 as unknown,
    number_of_replicas: 0 as unknown,
    states_count: false as unknown,
    states_order_output: false as unknown,
    states_single_index: false as unknown,
    // How to reach the servers.
    host: undefined as unknown,
    hosts: undefined as unknown,
    use_ssl: false as unknown,
    verify_certs: true as unknown,
    username: undefined as unknown,
    password: undefined as unknown,
    timeout: 10 as unknown,
  });

type Options = ReturnType<typeof optionsOf>;

/** The servers of a configuration; a request goes to the first that answers. */
class Servers {
  readonly #context: ReturnerContext;
  readonly #options: Options;
  readonly #places: { url: URL; headers: Headers }[];

  constructor(context: ReturnerContext, options: Options) {
    this.#context = context;
    this.#options = options;
    const { host, hosts, use_ssl: secure, username, password } = options;
    if (options.verify_certs === false) {
      throw new TypeError(
        "Cannot use elasticsearch.verify_certs: False: name the authority by NODE_EXTRA_CA_CERTS or DENO_CERT",
      );
    }
    this.#places = [host ?? hosts ?? "127.0.0.1:9200"].flat().map((one) => {
      const text = String(one);
      const headers = new Headers({ "content-type": "application/json" });
      const advice = "Cannot use elasticsearch.hosts: set it to a list of hosts with their ports";
      const whole = /^https?:/.test(text) ? text : `${truthy(secure) ? "https" : "http"}://${text}`;
      const url = postAddress(whole.replace(/\/*$/, "/"), headers, advice);
      if (username !== undefined && password !== undefined) {
        headers.set("authorization", basicAuth(String(username), String(password)));
      }
      return { url, headers };
    });
  }

  async send(
    method: string,
    path: readonly string[],
    body?: string,
    read?: (text: string) => void,
  ): Promise<PostAttempt & { place: string }> {
    const timeoutMs = numberOption("elasticsearch.timeout", this.#options.timeout) * 1000;
    let last: PostAttempt & { place: string } | undefined;
    for (const { url, headers } of this.#places) {
      const done = await postAttempt(this.#context, new URL(path.map(urlSegment).join("/"), url), {
        method,
        headers,
        timeoutMs,
        ...(body === undefined ? {} : { body }),
        ...(read === undefined ? {} : { read }),
      });
      last = { ...done, place: url.host };
      if (done.status !== undefined) break;
    }
    return last!;
  }

  async must(method: string, path: readonly string[], body?: string, read?: (text: string) => void): Promise<void> {
    const { failure, place } = await this.send(method, path, body, read);
    if (failure !== undefined) throw new Error(`Cannot store in Elasticsearch at ${place}: ${failure}`);
  }

  /** Makes an index under its name with `-v1`, and the name for it, if there is none. */
  async ensureIndex(name: string): Promise<void> {
    const { status, failure, place } = await this.send("HEAD", [name]);
    if (failure === undefined) return;
    if (status !== 404) throw new Error(`Cannot look for an index of Elasticsearch at ${place}: ${failure}`);
    const { number_of_shards, number_of_replicas } = this.#options;
    const made = await this.send("PUT", [`${name}-v1`], toJson({ settings: { number_of_shards, number_of_replicas } }));
    // Another minion may have made it in the meantime.
    if (made.failure !== undefined && made.status !== 400) {
      throw new Error(`Cannot make an index of Elasticsearch at ${made.place}: ${made.failure}`);
    }
    await this.must("PUT", [`${name}-v1`, "_alias", name]);
  }
}

/** The type of a document in an address: servers of today have one alone. */
const typeIn = (type: unknown) => type === "default" ? "_doc" : String(type);

/** `-2024.05.06` for an index of each day. */
function dated({ runtime: { clock } }: ReturnerContext, name: string, { index_date: byDate }: Options): string {
  if (!truthy(byDate)) return name;
  const now = new Date(clock.now());
  const two = (number: number) => String(number).padStart(2, "0");
  return `${name}-${now.getFullYear()}.${two(now.getMonth() + 1)}.${two(now.getDate())}`;
}

/** A value whose keys have no dots: Elasticsearch would take those for maps. */
function undotted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(undotted);
  if (!isMap(value)) return value;
  const made = new Map<unknown, unknown>();
  for (const [name, item] of entriesOf(value)) {
    const key = str(name);
    if (key.includes(".")) made.set("_orig_key", key);
    made.set(key.replaceAll(".", "_"), undotted(item));
  }
  return made;
}

/** States under keys that begin with their numbers, so that they are stored in their order. */
function numbered(states: [string, unknown][]): Map<string, unknown> {
  const digits = String(states.length).length;
  return new Map(states.map(([key, state]) => {
    const parts = key.split("_|-");
    if (/^\d/.test(key) || !isMap(state)) return [key, state];
    const number = String(lookup(state, "__run_num__")).padStart(digits, "0");
    return [`${number}_|-${key}`, new Map([...entriesOf(state), ["_func", `${parts[0]}.${parts.at(-1)}`]])];
  }));
}

/** The index and the document of a return; undefined for one that is not stored. */
function documentOf(
  context: ReturnerContext,
  ret: Record<string, unknown>,
  options: Options,
): { index: string; document: unknown } | undefined {
  const fun = String(ret.fun);
  const ignored = options.functions_blacklist;
  if (Array.isArray(ignored) && ignored.includes(fun)) return undefined;
  if ((ret.return ?? null) === null && (ret.data ?? null) === null) return undefined;
  const isStates = STATE_FUNCTIONS.includes(fun);
  const single = truthy(options.states_single_index) && isStates;
  let index = dated(context, `salt-${single ? "state_apply" : fun.replaceAll(".", "_")}`, options);
  let data = plainValue(ret.return);
  let counts: Record<string, number> = {};
  if (isStates) {
    if (truthy(options.states_order_output) && isMap(data)) {
      index += "-ordered";
      data = numbered(entriesOf(data).map(([key, state]) => [str(key), state]));
    } else if (!isMap(data)) data = new Map([["return", data]]);
    if (truthy(options.states_count)) {
      const states = entriesOf(data as Map<unknown, unknown>).map(([, state]) => state);
      const failed = states.filter((state) => isMap(state) && lookup(state, "result") === false).length;
      counts = { succeeded: states.length - failed, failed };
    }
  }
  const retcode = ret.retcode ?? 1;
  const document = {
    "@timestamp": new Date(context.runtime.clock.now()).toISOString().replace("Z", "000+00:00"),
    success: !truthy(retcode),
    retcode,
    minion: ret.id,
    fun,
    jid: ret.jid,
    counts,
    data: undotted(data),
  };
  return { index, document };
}

/**
 * Stores each return as a document in the index `salt-<function>`, and the events of a master in `salt-master-event-cache`. Options: a map
 * `elasticsearch` of `hosts`, `use_ssl`, `username`, `password` and `timeout`, and Salt's for the indices.
 *
 * @see salt/returners/elasticsearch_return.py
 */
export const returner: ReturnerModule = {
  async returner(context, ret) {
    const options = optionsOf(context);
    const servers = new Servers(context, options);
    const found = documentOf(context, wholeReturn(ret), options);
    if (found === undefined) {
      context.log.info("return not stored in Elasticsearch", { jid: ret.jid, fun: ret.fun });
      return;
    }
    await servers.ensureIndex(found.index);
    await servers.must("POST", [found.index, typeIn(options.doc_type)], toJson(found.document));
  },
  async saveLoad(context, jid, load) {
    const options = optionsOf(context);
    const servers = new Servers(context, options);
    const index = String(options.master_job_cache_index);
    await servers.ensureIndex(index);
    await servers.must("PUT", [index, typeIn(options.master_job_cache_doc_type), jid], toJson({ jid, load }));
  },
  async eventReturn(context, { events }) {
    const options = optionsOf(context);
    const servers = new Servers(context, options);
    const index = dated(context, String(options.master_event_index), options);
    await servers.ensureIndex(index);
    // By its id an event that is stored again is there once.
    const lines = events.flatMap(({ id, tag, data }) => [toJson({ index: { _id: id } }), toJson({ tag, data })]);
    let said = "";
    await servers.must("POST", [index, "_bulk"], `${lines.join("\n")}\n`, (text) => said = text);
    if (!/"errors"\s*:\s*true/.test(said)) return;
    if (/"status"\s*:\s*(?:429|5\d\d)/.test(said)) {
      throw new Error("Cannot store all events in Elasticsearch: it is overloaded");
    }
    throw new EventsRefused("Cannot store all events in Elasticsearch: it refuses some of them");
  },
};
