/** Whole sites as operators configure them: reactors, beacons and schedules that work on one another. `DIR` in any text is the directory of the site. */

/** What the test does, one after the other, each when the line of the one before was heard. */
export interface SiteStep {
  /** An event on the master's bus. */
  fire?: [tag: string, data?: Record<string, unknown>];
  /** A function that the minion is told to call. */
  call?: string[];
  append?: [file: string, text: string];
  /** A part of a line that has to come before the next step. */
  until: string;
}

export interface SiteCase {
  /** Files by their path in the directory; those of `srv` are in `file_roots`, those of `pillar` in `pillar_roots`. */
  files?: Record<string, string>;
  master?: Record<string, unknown>;
  minion?: Record<string, unknown>;
  steps: SiteStep[];
  /** Milliseconds in which nothing new comes at the end. @default 4000 */
  quietMs?: number;
  /** Told by the quick form, too. */
  quick?: true;
}

const STOPPED = (name: string, ...more: unknown[]) => [
  { beacon_module: "ps" },
  { processes: { [name]: "stopped" } },
  { interval: 1 },
  ...more,
];

export const SITE_CASES: Record<string, SiteCase> = {
  "a service that is down": {
    quick: true,
    minion: { beacons: { shop: STOPPED("shopd", { run_once: true }) } },
    master: {
      reactor: [
        { "salt/beacon/*/shop/": ["DIR/srv/reactor/restart.sls"] },
        { "ops/*": ["DIR/srv/reactor/page.sls", "DIR/srv/reactor/keys.sls"] },
      ],
    },
    files: {
      "srv/reactor/restart.sls": `{% set process = data.data[0] if data.data is defined else data %}
restart {{ data.id }}:
  local.test.arg:
    - tgt: {{ data.id | yaml_dquote }}
    - args:
      - service: shop
      - processes: {{ data | length > 1 }}
page {{ data.id }}:
  runner.event.send:
    - args:
      - tag: ops/restarted
      - data: {who: {{ data.id }}}
`,
      "srv/reactor/page.sls":
        "page:\n  runner.test.arg:\n    - args:\n      - text: '{{ tag }} {{ data.data.who if data.data is defined else data.get(\"who\") }}'\n",
      "srv/reactor/keys.sls": "keys:\n  wheel.key.list:\n    - args:\n      - match: accepted\n",
    },
    steps: [{ until: "wheel.key.list" }],
  },
  "a minion that has come": {
    quick: true,
    master: {
      reactor: [
        { "salt/minion/*/start": "DIR/srv/reactor/start.sls" },
        { "salt/job/*/ret/*": ["DIR/srv/reactor/done.sls"] },
      ],
    },
    files: {
      "srv/web.sls": "made:\n  file.managed:\n    - name: DIR/made\n    - contents: {{ pillar.get('word', 'none') }}\n",
      "srv/reactor/start.sls":
        "apply:\n  local.state.apply:\n    - tgt: {{ data.id }}\n    - args:\n      - mods: web\n      - pillar: {word: {{ data.id }}}\n",
      "srv/reactor/done.sls":
        `{% if data.fun == 'state.apply' %}\ndone:\n  runner.event.send:\n    - args:\n      - tag: web/{{ 'good' if data.success and data.retcode == 0 else 'bad' }}\n      - data: {fun: {{ data.fun }}, states: {{ data['return'] | length }}}\n{% endif %}\n`,
    },
    steps: [{ until: "web/good" }],
  },
  "a deployment that a minion asks for": {
    quick: true,
    master: {
      reactor: [{ "deploy/start": ["DIR/srv/reactor/deploy.sls"] }, { "deploy/*ed": ["DIR/srv/reactor/told.sls"] }],
    },
    files: {
      "srv/reactor/deploy.sls":
        "deploy:\n  runner.state.orchestrate:\n    - args:\n      - mods: orch.deploy\n      - pillar:\n          who: {{ data.id }}\n          version: {{ data.data.version | yaml_dquote }}\n",
      "srv/orch/deploy.sls": `ask:
  salt.function:
    - name: test.arg
    - tgt: {{ pillar.who }}
    - arg: [{{ pillar.version }}]
tell:
  salt.runner:
    - name: event.send
    - tag: deploy/finished
    - data: {version: {{ pillar.version }}}
    - require: [{salt: ask}]
`,
      "srv/reactor/told.sls": "told:\n  local.test.arg:\n    - tgt: '*'\n    - arg: [{{ tag }}, '{{ data.data }}']\n",
    },
    steps: [{ call: ["event.send", "deploy/start", "{version: 1.5}"], until: '"deploy/finished"' }],
  },
  "lines of a log": {
    minion: {
      beacons: {
        log: [{ file: "DIR/app.log" }, {
          tags: { "app/error": { regex: "ERROR .*" }, "app/login": { regex: "login of \\w+" } },
        }, {
          interval: 1,
        }],
      },
    },
    master: { reactor: [{ "salt/beacon/*/log/*": ["DIR/srv/reactor/log.sls"] }] },
    files: {
      "app.log": "begin\n",
      "srv/reactor/log.sls":
        "{% set found = data.get('match') %}\nlog:\n  runner.event.send:\n    - args:\n      - tag: seen/{{ tag.split('/')[4:] | join('-') }}\n      - data: {line: {{ data.get('raw', '') | trim | yaml_dquote }}, match: {{ found | yaml_dquote }}}\n",
    },
    steps: [
      { call: ["test.sleep", "4"], until: '"fun":"test.sleep"' },
      { append: ["app.log", "ERROR no disk\nnothing\nlogin of ann\n"], until: "seen/" },
    ],
  },
  "beacons of the pillar beside those of the minion": {
    minion: { beacons: { own: STOPPED("ownd") } },
    files: {
      "pillar/top.sls": "base: {'*': [b]}\n",
      "pillar/b.sls": JSON.stringify({ beacons: { shared: STOPPED("sharedd") } }),
      "srv/reactor/b.sls":
        "b:\n  local.beacons.list:\n    - tgt: {{ data.id }}\n    - args:\n      - return_yaml: False\n",
    },
    master: { reactor: [{ "salt/beacon/*/shared/": ["DIR/srv/reactor/b.sls"] }] },
    steps: [{ until: "beacons.list" }],
  },
  "beacons that a reaction changes": {
    minion: { beacons: { first: STOPPED("firstd") } },
    master: {
      reactor: [{ "ops/watch": ["DIR/srv/reactor/watch.sls"] }, { "ops/calm": ["DIR/srv/reactor/calm.sls"] }],
    },
    files: {
      "srv/reactor/watch.sls":
        "watch:\n  local.beacons.add:\n    - tgt: '*'\n    - args:\n      - name: second\n      - beacon_data: [{beacon_module: ps}, {processes: {secondd: stopped}}, {interval: 1}]\n",
      "srv/reactor/calm.sls":
        "calm:\n  local.beacons.delete:\n    - tgt: '*'\n    - arg: [first]\nthen:\n  local.beacons.disable_beacon:\n    - tgt: '*'\n    - args: [{name: nosuch}]\n",
    },
    steps: [
      { until: "/first/" },
      { fire: ["ops/watch"], until: "/second/" },
      { fire: ["ops/calm"], until: '"fun":"beacons.disable_beacon"' },
    ],
  },
  "reactors in a file of their own, with returners": {
    master: { reactor: "DIR/reactors.yaml" },
    minion: { "rawfile_json.filename": "DIR/kept" },
    files: {
      "reactors.yaml": "- 'own/*':\n  - DIR/srv/reactor/o.sls\n",
      "srv/reactor/o.sls":
        "o:\n  local.test.arg:\n    - tgt: '*'\n    - ret: rawfile_json\n    - metadata: {from: own}\n    - args:\n      - a: {{ data.a | tojson }}\n",
    },
    steps: [{ fire: ["own/x", { a: { b: [1, 2.5, null, true, "t"] } }], until: '"fun":"test.arg","fun_args"' }],
  },
};
