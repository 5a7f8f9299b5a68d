/** Bodies and answers in the OpenAPI description. */
type Json = Record<string, unknown>;

export const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

const text = (description: string): Json => ({ type: "string", description });
const flag = (description: string): Json => ({ type: "boolean", default: false, description });
const seconds = (description: string): Json => ({ type: "number", description: `Seconds: ${description}` });
const textOrTexts = (description: string): Json => ({
  oneOf: [{ type: "string" }, { type: "array", items: { type: "string" } }],
  description,
});
const texts: Json = { type: "array", items: { type: "string" } };

/** One command. Which fields it takes depends on its client. */
const LOWSTATE: Json = {
  type: "object",
  required: ["client", "fun"],
  properties: {
    client: text("Which client runs it; GET / lists their names"),
    fun: textOrTexts("The function; jobs accept a list of functions"),
    tgt: textOrTexts("Jobs: the target, or a list of ids"),
    tgt_type: { type: "string", default: "glob", description: "Jobs: the type of the target" },
    arg: { type: "array", items: {}, description: "Arguments by position" },
    kwarg: { type: "object", description: "Arguments by name" },
    ret: text("Jobs: returners, separated by commas"),
    jid: text(
      "Jobs: a job id that the caller chooses, 20 digits. A Brine master does not run a known id again",
    ),
    metadata: { description: "Jobs: metadata of the job" },
    timeout: seconds("how long the client waits for returns, or for a runner's"),
    gather_job_timeout: seconds("how long it waits when it asks minions whether they still run the job"),
    batch: {
      oneOf: [{ type: "integer" }, { type: "string" }],
      description: 'local_batch: the number of minions at a time, or "25%"',
    },
    subset: { type: "integer", description: "local_subset: the number of minions" },
    queue: seconds("jobs, Brine masters: how long the job is kept for offline minions"),
    job_timeout: seconds("jobs, Brine masters: after how long a minion ends the job"),
    stream: flag("Jobs, Brine masters: sends output live, as events salt/job/<jid>/out/<id>"),
    full_return: flag(
      "local, local_subset: {ret, retcode, jid, out} of each minion. local_async, Brine masters: also missing, queued and syndics. runner: {tag, data} of its last event instead of its return alone",
    ),
    username: text("POST /run: the user, with password and eauth, or with token"),
    password: text("POST /run"),
    eauth: text("POST /run"),
    token: text("POST /run"),
  },
  additionalProperties: true,
};

const LOGIN: Json = {
  type: "object",
  required: ["return"],
  properties: {
    return: {
      type: "array",
      items: {
        type: "object",
        required: ["token", "start", "expire", "user", "eauth", "perms"],
        properties: {
          token: { type: "string" },
          start: { type: "number", description: "Seconds since the epoch" },
          expire: { type: "number", description: "Seconds since the epoch" },
          user: { type: "string" },
          eauth: { type: "string" },
          perms: {},
        },
      },
    },
  },
};

const READY: Json = {
  type: "object",
  required: ["ready", "master", "draining", "brine"],
  properties: {
    ready: { type: "boolean", description: "Commands are accepted; otherwise the status is 503" },
    master: { type: "boolean", description: "The master can be reached" },
    draining: { type: "boolean", description: "The server is stopping" },
    brine: {
      type: "boolean",
      description: "The master is a Brine master: it keeps outcomes, queues jobs and previews targets",
    },
    cluster: {
      type: "object",
      description: "For a master in a cluster. It is not ready while one of the last three is false",
      properties: {
        masters: { type: "integer", description: "The number of running masters, with this one" },
        storage: { type: "boolean", description: "PostgreSQL is available" },
        bus: { type: "boolean", description: "NATS is connected" },
        lease: { type: "boolean", description: "The master may decide on jobs" },
      },
    },
  },
};

const PREVIEWED: Json = {
  type: "object",
  required: ["return"],
  properties: {
    return: {
      type: "array",
      items: {
        type: "object",
        required: ["minions", "missing"],
        properties: { minions: texts, missing: texts, unknown: texts },
      },
    },
  },
};

/** Schemas by their names, which operations of routes refer to. */
export const SCHEMAS = {
  Any: {},
  Lowstate: LOWSTATE,
  Lowstates: { oneOf: [ref("Lowstate"), { type: "array", items: ref("Lowstate") }] },
  Credentials: {
    type: "object",
    required: ["username", "password", "eauth"],
    properties: { username: { type: "string" }, password: { type: "string" }, eauth: { type: "string" } },
    additionalProperties: true,
  },
  Refresh: {
    type: "object",
    required: ["refresh_token"],
    properties: { refresh_token: { type: "string" } },
  },
  KeyRequest: {
    allOf: [ref("Credentials"), {
      type: "object",
      required: ["mid"],
      properties: { mid: { type: "string" }, keysize: { type: "integer" }, force: { type: "boolean" } },
    }],
  },
  Return: { type: "object", required: ["return"], properties: { return: { type: "array", items: {} } } },
  Login: LOGIN,
  Alive: { type: "object", required: ["alive"], properties: { alive: { const: true } } },
  Ready: READY,
  Previewed: PREVIEWED,
} satisfies Record<string, Json>;

export type SchemaName = keyof typeof SCHEMAS;
