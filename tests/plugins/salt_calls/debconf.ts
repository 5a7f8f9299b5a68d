import type { CallScenario } from "./scenario.ts";

const ANSWERS = `# Use dash as the default system shell (/bin/sh)?
dash\tdash/sh\tboolean\ttrue
# Geographic area:
# Choices: Africa, America, Europe
tzdata\ttzdata/Areas\tselect\tEurope
tzdata\ttzdata/Zones/Etc\tselect\t
a  b/c string   several words here`;

export const DEBCONF: CallScenario[] = [
  {
    name: "debconf: answers",
    standIns: { "debconf-get-selections": { "": ANSWERS }, "debconf-set-selections": {} },
    files: {
      "roots/answers": "dash dash/sh boolean false\n",
      "roots/answers.jinja": "dash dash/sh boolean {{ yes }}\n",
    },
    calls: [
      ["debconf.get_selections"],
      ["debconf.get_selections", "fetchempty=False"],
      ["debconf.show", "tzdata"],
      ["debconf.show", "none"],
      ["debconf.set", "dash", "dash/sh", "boolean", "false"],
      ["debconf.set", "a", "b/c", "string", "several", "words"],
      ["debconf.set_file", "salt://answers"],
      ["debconf.set_file", "salt://none"],
      ["debconf.set_template", "salt://answers.jinja", "jinja", "{'yes': 'true'}", "{}"],
    ],
    replace: [[/\/tmp\/[\w.-]+/g, "TEMPORARY"], [/\[[^\]]*\/(?=answers)/g, "[CACHE/"]],
  },
];
