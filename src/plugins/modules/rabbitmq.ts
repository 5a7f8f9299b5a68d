import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { CommandExecutionError, executionFunction, SaltInvocationError } from "../../model/loader/family.ts";
import { type Args, isMap, mapOf, OrderedMap, str, truthy } from "../../language/python/values.ts";
import { parseOrderedJson } from "../../language/python/json.ts";
import { dumpJson } from "../../language/python/json_dump.ts";
import { dictGet, MISSING } from "../../language/python/dict.ts";
import { splitLines, splitWords } from "../../language/python/text.ts";
import { valueError } from "../../language/python/python_error.ts";
import { type CommandOutcome, operand, programPath, run, runAll } from "../commands.ts";

const RUNAS = "runas=None";
const ABOUT_RUNAS = "\n\nrunas: the user that runs rabbitmqctl";
const CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
/** Characters of the password of a user who is to have none, until it is cleared. */
const PASSWORD_LENGTH = 15;

/** A name that rabbitmqctl is to take as it is. */
const word = (value: unknown, what: string): string => operand(value, what);
const user = (value: unknown) => word(value, "the name of a user");
const vhost = (value: unknown) => word(value, "the name of a virtual host");

async function ctl(context: JobContext, words: readonly string[], { runas }: Args): Promise<CommandOutcome> {
  return await runAll(context, ["rabbitmqctl", ...words], { runas, reset_system_locale: false });
}

/** The same for words that nobody may read in the log. */
async function quiet(context: JobContext, words: readonly string[], { runas }: Args): Promise<CommandOutcome> {
  const options = { runas, reset_system_locale: false, output_loglevel: "quiet" };
  return await runAll(context, ["rabbitmqctl", ...words], options);
}

/** What a command printed. @throws {CommandExecutionError} if it failed or complained */
function output({ retcode, stdout, stderr }: CommandOutcome): string {
  if (retcode !== 0 || stderr !== "") throw new CommandExecutionError(`RabbitMQ command failed: ${stderr}`);
  return stdout;
}

/** True for a line of a list, and not of its frame. */
const isData = (line: string): boolean =>
  line !== "" && !line.startsWith("WARNING:") && !line.includes("...done") &&
  !(line.startsWith("Listing") && (line.endsWith("...") || !line.includes("\t")));

const linesOf = (text: string): string[] => splitLines(text).filter(isData);
const wordsOf = (text: string): string[] => linesOf(text).flatMap(splitWords);

/** Lines of a key and, behind a tab, values. */
function table(text: string, valuesOf: (values: string) => unknown = (values) => values.split("\t")) {
  return mapOf(
    linesOf(text).map((line): [string, unknown] => {
      const at = line.indexOf("\t");
      return at < 0 ? [line, ""] : [line.slice(0, at), valuesOf(line.slice(at + 1))];
    }),
  );
}

/** `[administrator, monitoring]` as a list. */
function tagsOf(text: string): string[] {
  const inner = text.slice(1, -1);
  return inner.includes(",") ? inner.split(",").map((tag) => tag.trim()) : inner.split(" ");
}

function rowsBy(field: string, text: string): unknown {
  const rows = parseOrderedJson(text);
  if (!Array.isArray(rows)) throw new CommandExecutionError("RabbitMQ command failed: it did not return a list");
  return mapOf(
    rows.filter(isMap).map((row): [unknown, unknown] => {
      const key = dictGet(row, field);
      const rest = new OrderedMap();
      for (const [name, value] of row as Iterable<[unknown, unknown]>) if (name !== field) rest.set(name, value);
      return [key === MISSING ? null : key, rest];
    }),
  );
}

async function upstreams(context: JobContext, args: Args): Promise<Map<string, string>> {
  const { stdout } = await ctl(context, ["list_parameters", "-q"], args);
  return new Map(
    stdout.split("\n").filter(isData).map((line): [string, string] => {
      const parts = line.split("\t");
      if (parts.length < 3) throw valueError(`not enough values to unpack (expected 3, got ${parts.length})`);
      if (parts.length > 3) throw valueError("too many values to unpack (expected 3)");
      return [parts[1]!, parts[2]!];
    }),
  );
}

/** True for a package older than 3.7, which lists the fields of policies in another order. */
async function isBefore37(context: JobContext): Promise<boolean> {
  const version = str(await context.call("pkg.version", ["rabbitmq-server"]));
  const [major = 0, minor = 0] = version.split(/[-.]/).map(Number);
  return version !== "" && (major < 3 || (major === 3 && minor < 7));
}

async function policies(context: JobContext, args: Args): Promise<Map<unknown, unknown>> {
  const lines = linesOf(output(await ctl(context, ["list_policies", "-q", "-p", vhost(args.vhost)], args)));
  const isOld = await isBefore37(context);
  const found = new Map<unknown, unknown>();
  for (const line of lines) {
    const parts = line.trim().split("\t");
    if (parts.length !== 5 && parts.length !== 6) continue;
    const [host, name, ...rest] = parts as [string, string, ...string[]];
    const offset = parts.length - 5;
    const policy = isOld
      ? {
        ...(offset === 1 ? { apply_to: rest[0] } : {}),
        pattern: rest[offset],
        definition: rest[offset + 1],
        priority: rest[offset + 2],
      }
      : { pattern: rest[0], apply_to: rest[1], definition: rest[2], priority: rest[3] };
    if (!found.has(host)) found.set(host, new Map());
    (found.get(host) as Map<string, unknown>).set(name, policy);
  }
  return found;
}

async function pluginWords(context: JobContext): Promise<string> {
  const path = programPath(context, "rabbitmq-plugins");
  if (path !== undefined) return "rabbitmq-plugins";
  const version = str(await context.call("pkg.version", ["rabbitmq-server"])).split("-")[0];
  return `/usr/lib/rabbitmq/lib/rabbitmq_server-${version}/sbin/rabbitmq-plugins`;
}

async function plugins(context: JobContext, words: readonly string[], { runas }: Args): Promise<string> {
  return output(await runAll(context, [await pluginWords(context), ...words], { runas, reset_system_locale: false }));
}

const enabledPlugins = async (context: JobContext, args: Args) =>
  wordsOf(await plugins(context, ["list", "-m", "-e"], args));

const usersOf = async (context: JobContext, args: Args) =>
  table(output(await ctl(context, ["list_users", "-q"], args)), tagsOf);
const vhostsOf = async (context: JobContext, args: Args) =>
  wordsOf(output(await ctl(context, ["list_vhosts", "-q"], args)));

async function addUser(context: JobContext, args: Args): Promise<Record<string, string>> {
  const name = user(args.name);
  const isCleared = args.password === null;
  const password = isCleared ? randomPassword(context) : word(args.password, "a password");
  const result = await quiet(context, ["add_user", name, password], args);
  if (isCleared) {
    try {
      output(await ctl(context, ["clear_password", name], args));
    } catch (error) {
      await ctl(context, ["delete_user", name], args);
      throw error;
    }
  }
  return { Added: output(result) };
}

function randomPassword({ runtime }: JobContext): string {
  const bytes = runtime.crypto.randomBytes(PASSWORD_LENGTH * 4);
  const numbers = new Uint32Array(bytes.buffer, bytes.byteOffset, PASSWORD_LENGTH);
  return Array.from(numbers, (number) => CHARACTERS[number % CHARACTERS.length]).join("");
}

async function checkPassword(context: JobContext, args: Args): Promise<boolean> {
  const { runas } = args;
  const status = await run(context, ["rabbitmqctl", "status"], { runas, reset_system_locale: false });
  const version = /\{rabbit,"RabbitMQ","(.+)"\}/.exec(status)?.[1] ?? /RabbitMQ version:\s*(.+)/.exec(status)?.[1] ??
    "";
  const parts = version.split("-")[0]!.split(".").map(Number);
  const [major = 0, minor = 0, patch = 0] = parts.length < 3 || parts.some(Number.isNaN) ? [] : parts;
  const [name, password] = [user(args.name), word(args.password, "a password")];
  if (major * 1e6 + minor * 1e3 + patch >= 3_005_007) {
    const { retcode, stderr } = await quiet(context, ["authenticate_user", name, password], args);
    return retcode === 0 && stderr === "";
  }
  const quoted = (text: string) => text.replaceAll('"', '\\"');
  const code = `rabbit_auth_backend_internal:check_user_login(<<"${quoted(name)}">>, [{password, <<"${
    quoted(password)
  }">>}]).`;
  return !output(await quiet(context, ["eval", code], args)).includes("invalid credentials");
}

const UPSTREAM =
  `name, uri, prefetch_count=None, reconnect_delay=None, ack_mode=None, trust_user_id=None, exchange=None,
  max_hops=None, expires=None, message_ttl=None, ha_policy=None, queue=None, runas=None`;

/** The parameters of an upstream that are given, in RabbitMQ's spelling. */
export function upstreamParameters(args: Args): Record<string, unknown> {
  const names = [
    "uri",
    "prefetch_count",
    "reconnect_delay",
    "ack_mode",
    "trust_user_id",
    "exchange",
    "max_hops",
    "expires",
    "message_ttl",
    "ha_policy",
    "queue",
  ];
  return Object.fromEntries(
    names.filter((name) => truthy(args[name] ?? null)).map((name) => [name.replaceAll("_", "-"), args[name]]),
  );
}

/** Takes the node out of the cluster while it works, and puts it back. */
async function joinCluster(context: JobContext, args: Args): Promise<Record<string, string>> {
  const node = `${word(args.user, "the name of a node")}@${str(args.host)}`;
  output(await ctl(context, ["stop_app"], args));
  const result = await ctl(context, ["join_cluster", ...(truthy(args.ram_node) ? ["--ram"] : []), node], args);
  output(await ctl(context, ["start_app"], args));
  return { Join: output(result) };
}

/** A command without words of its own, which returns what it prints. */
const plain = (command: string, doc: string) =>
  executionFunction({
    signature: RUNAS,
    doc: `${doc}\n\n    salt mq1 rabbitmq.${command}${ABOUT_RUNAS}`,
    run: async (context, args) => output(await ctl(context, [command], args)),
  });

/** RabbitMQ, by rabbitmqctl and rabbitmq-plugins. */
export const module: ExecutionModule = {
  virtual: (context) =>
    programPath(context, "rabbitmqctl") !== undefined ||
    { unavailable: "Module rabbitmq: module only works when RabbitMQ is installed" },
  functions: {
    list_users: executionFunction({
      signature: RUNAS,
      doc: `Users and their tags.\n\n    salt mq1 rabbitmq.list_users${ABOUT_RUNAS}`,
      run: usersOf,
    }),
    list_vhosts: executionFunction({
      signature: RUNAS,
      doc: `The virtual hosts.\n\n    salt mq1 rabbitmq.list_vhosts${ABOUT_RUNAS}`,
      run: vhostsOf,
    }),
    list_upstreams: executionFunction({
      signature: RUNAS,
      doc: `Upstreams and their parameters as JSON.\n\n    salt mq1 rabbitmq.list_upstreams${ABOUT_RUNAS}`,
      run: upstreams,
    }),
    user_exists: executionFunction({
      signature: `name, ${RUNAS}`,
      doc: `Whether there is the user.\n\n    salt mq1 rabbitmq.user_exists web${ABOUT_RUNAS}`,
      run: async (context, args) => dictGet(await usersOf(context, args), args.name) !== MISSING,
    }),
    vhost_exists: executionFunction({
      signature: `name, ${RUNAS}`,
      doc: `Whether there is the virtual host.\n\n    salt mq1 rabbitmq.vhost_exists /app${ABOUT_RUNAS}`,
      run: async (context, args) => (await vhostsOf(context, args)).includes(str(args.name)),
    }),
    upstream_exists: executionFunction({
      signature: `name, ${RUNAS}`,
      doc: `Whether there is the upstream.\n\n    salt mq1 rabbitmq.upstream_exists up${ABOUT_RUNAS}`,
      run: async (context, args) => (await upstreams(context, args)).has(str(args.name)),
    }),
    add_user: executionFunction({
      signature: `name, password=None, ${RUNAS}`,
      doc:
        `Adds a user; without a password, one who cannot log in by it.\n\n    salt mq1 rabbitmq.add_user web secret${ABOUT_RUNAS}`,
      run: addUser,
    }),
    delete_user: executionFunction({
      signature: `name, ${RUNAS}`,
      doc: `Deletes a user.\n\n    salt mq1 rabbitmq.delete_user web${ABOUT_RUNAS}`,
      run: async (context, args) => ({ Deleted: output(await ctl(context, ["delete_user", user(args.name)], args)) }),
    }),
    change_password: executionFunction({
      signature: `name, password, ${RUNAS}`,
      doc: `Changes the password of a user.\n\n    salt mq1 rabbitmq.change_password web secret${ABOUT_RUNAS}`,
      async run(context, args) {
        const words = ["change_password", user(args.name), word(args.password, "a password")];
        return { "Password Changed": output(await quiet(context, words, args)) };
      },
    }),
    clear_password: executionFunction({
      signature: `name, ${RUNAS}`,
      doc: `Removes the password of a user.\n\n    salt mq1 rabbitmq.clear_password web${ABOUT_RUNAS}`,
      run: async (context, args) => ({
        "Password Cleared": output(await ctl(context, ["clear_password", user(args.name)], args)),
      }),
    }),
    check_password: executionFunction({
      signature: `name, password, ${RUNAS}`,
      doc: `Whether it is the password of a user.\n\n    salt mq1 rabbitmq.check_password web secret${ABOUT_RUNAS}`,
      run: checkPassword,
    }),
    add_vhost: executionFunction({
      signature: `vhost, ${RUNAS}`,
      doc: `Adds a virtual host.\n\n    salt mq1 rabbitmq.add_vhost /app${ABOUT_RUNAS}`,
      run: async (context, args) => ({ Added: output(await ctl(context, ["add_vhost", vhost(args.vhost)], args)) }),
    }),
    delete_vhost: executionFunction({
      signature: `vhost, ${RUNAS}`,
      doc: `Deletes a virtual host.\n\n    salt mq1 rabbitmq.delete_vhost /app${ABOUT_RUNAS}`,
      run: async (context, args) => ({
        Deleted: output(await ctl(context, ["delete_vhost", vhost(args.vhost)], args)),
      }),
    }),
    set_permissions: executionFunction({
      signature: `vhost, user, conf='.*', write='.*', read='.*', ${RUNAS}`,
      doc: "What a user may configure, write and read on a virtual host, as patterns.\n\n" +
        `    salt mq1 rabbitmq.set_permissions /app web '^web-' '.*' '.*'${ABOUT_RUNAS}`,
      async run(context, args) {
        const { conf, write, read } = args;
        const words = ["set_permissions", "-p", vhost(args.vhost), user(args.user), str(conf), str(write), str(read)];
        return { "Permissions Set": output(await ctl(context, words, args)) };
      },
    }),
    list_permissions: executionFunction({
      signature: `vhost, ${RUNAS}`,
      doc:
        `Users of a virtual host and their permissions.\n\n    salt mq1 rabbitmq.list_permissions /app${ABOUT_RUNAS}`,
      async run(context, args) {
        const words = ["list_permissions", "--formatter=json", "-p", vhost(args.vhost)];
        return rowsBy("user", (await ctl(context, words, args)).stdout);
      },
    }),
    list_user_permissions: executionFunction({
      signature: `name, ${RUNAS}`,
      doc:
        `Virtual hosts of a user and the permissions.\n\n    salt mq1 rabbitmq.list_user_permissions web${ABOUT_RUNAS}`,
      async run(context, args) {
        const words = ["list_user_permissions", user(args.name), "--formatter=json"];
        return rowsBy("vhost", (await ctl(context, words, args)).stdout);
      },
    }),
    set_user_tags: executionFunction({
      signature: `name, tags, ${RUNAS}`,
      doc:
        `Sets the tags of a user: one, or a list.\n\n    salt mq1 rabbitmq.set_user_tags web administrator${ABOUT_RUNAS}`,
      async run(context, args) {
        const tags = [args.tags].flat().map((tag) => word(tag, "a tag"));
        return { "Tag(s) set": output(await ctl(context, ["set_user_tags", user(args.name), ...tags], args)) };
      },
    }),
    status: plain("status", "What the server says of itself."),
    cluster_status: plain("cluster_status", "What the server says of its cluster."),
    stop_app: plain("stop_app", "Stops the application, and leaves the node running."),
    start_app: plain("start_app", "Starts the application."),
    reset: plain("reset", "Returns the node to its first state: its data is lost."),
    force_reset: plain("force_reset", "Returns the node to its first state, whatever its cluster says."),
    join_cluster: executionFunction({
      signature: `host, user='rabbit', ram_node=None, ${RUNAS}`,
      doc: `Joins the cluster of a node.\n\n    salt mq2 rabbitmq.join_cluster mq1${ABOUT_RUNAS}`,
      run: joinCluster,
    }),
    list_queues: executionFunction({
      signature: `${RUNAS}, *args`,
      doc:
        `Queues and the columns that are named.\n\n    salt mq1 rabbitmq.list_queues None messages consumers${ABOUT_RUNAS}`,
      run: async (context, args) =>
        table(output(await ctl(context, ["list_queues", "-q", ...(args.args as unknown[]).map(str)], args))),
    }),
    list_queues_vhost: executionFunction({
      signature: `vhost, ${RUNAS}, *args`,
      doc: `Queues of a virtual host.\n\n    salt mq1 rabbitmq.list_queues_vhost /app None messages${ABOUT_RUNAS}`,
      async run(context, args) {
        const words = ["list_queues", "-q", "-p", vhost(args.vhost), ...(args.args as unknown[]).map(str)];
        return table(output(await ctl(context, words, args)));
      },
    }),
    list_policies: executionFunction({
      signature: `vhost='/', ${RUNAS}`,
      doc: `Policies of a virtual host.\n\n    salt mq1 rabbitmq.list_policies /app${ABOUT_RUNAS}`,
      run: policies,
    }),
    set_policy: executionFunction({
      signature: `vhost, name, pattern, definition, priority=None, ${RUNAS}, apply_to=None`,
      doc: "Sets a policy; its definition is a map or JSON.\n\n" +
        `    salt mq1 rabbitmq.set_policy / HA '.*' '{"ha-mode": "all"}'${ABOUT_RUNAS}`,
      async run(context, args) {
        const { name, pattern, priority, apply_to: applyTo } = args;
        const definition = isMap(args.definition) ? dumpJson(args.definition) : args.definition;
        if (typeof definition !== "string") {
          throw new SaltInvocationError("The 'definition' argument must be a dictionary or JSON string");
        }
        const words = [
          "set_policy",
          "-p",
          vhost(args.vhost),
          ...(truthy(priority) ? ["--priority", str(priority)] : []),
          ...(truthy(applyTo) ? ["--apply-to", str(applyTo)] : []),
          word(name, "the name of a policy"),
          str(pattern),
          definition,
        ];
        return { Set: output(await ctl(context, words, args)) };
      },
    }),
    delete_policy: executionFunction({
      signature: `vhost, name, ${RUNAS}`,
      doc: `Deletes a policy.\n\n    salt mq1 rabbitmq.delete_policy / HA${ABOUT_RUNAS}`,
      async run(context, args) {
        const words = ["clear_policy", "-p", vhost(args.vhost), word(args.name, "the name of a policy")];
        return { Deleted: output(await ctl(context, words, args)) };
      },
    }),
    policy_exists: executionFunction({
      signature: `vhost, name, ${RUNAS}`,
      doc:
        `Whether there is the policy. Like Salt's, it looks at the virtual host / alone.\n\n    salt mq1 rabbitmq.policy_exists / HA${ABOUT_RUNAS}`,
      async run(context, args) {
        const found = (await policies(context, { ...args, vhost: "/" })).get(str(args.vhost));
        return found instanceof Map && found.has(str(args.name));
      },
    }),
    list_available_plugins: executionFunction({
      signature: RUNAS,
      doc: `All plugins.\n\n    salt mq1 rabbitmq.list_available_plugins${ABOUT_RUNAS}`,
      run: async (context, args) => wordsOf(await plugins(context, ["list", "-m"], args)),
    }),
    list_enabled_plugins: executionFunction({
      signature: RUNAS,
      doc: `The plugins that are enabled.\n\n    salt mq1 rabbitmq.list_enabled_plugins${ABOUT_RUNAS}`,
      run: enabledPlugins,
    }),
    plugin_is_enabled: executionFunction({
      signature: `name, ${RUNAS}`,
      doc: `Whether a plugin is enabled.\n\n    salt mq1 rabbitmq.plugin_is_enabled rabbitmq_management${ABOUT_RUNAS}`,
      run: async (context, args) => (await enabledPlugins(context, args)).includes(str(args.name)),
    }),
    enable_plugin: executionFunction({
      signature: `name, ${RUNAS}`,
      doc: `Enables a plugin.\n\n    salt mq1 rabbitmq.enable_plugin rabbitmq_management${ABOUT_RUNAS}`,
      run: async (context, args) => ({
        Enabled: await plugins(context, ["enable", word(args.name, "a plugin")], args),
      }),
    }),
    disable_plugin: executionFunction({
      signature: `name, ${RUNAS}`,
      doc: `Disables a plugin.\n\n    salt mq1 rabbitmq.disable_plugin rabbitmq_management${ABOUT_RUNAS}`,
      run: async (context, args) => ({
        Disabled: await plugins(context, ["disable", word(args.name, "a plugin")], args),
      }),
    }),
    set_upstream: executionFunction({
      signature: UPSTREAM,
      doc: `Sets an upstream of federation.\n\n    salt mq1 rabbitmq.set_upstream up amqp://mq2${ABOUT_RUNAS}`,
      async run(context, args) {
        const name = word(args.name, "the name of an upstream");
        const words = ["set_parameter", "federation-upstream", name, dumpJson(upstreamParameters(args))];
        output(await ctl(context, words, args));
        return true;
      },
    }),
    delete_upstream: executionFunction({
      signature: `name, ${RUNAS}`,
      doc: `Deletes an upstream.\n\n    salt mq1 rabbitmq.delete_upstream up${ABOUT_RUNAS}`,
      async run(context, args) {
        const words = ["clear_parameter", "federation-upstream", word(args.name, "the name of an upstream")];
        output(await ctl(context, words, args));
        return true;
      },
    }),
  },
};
