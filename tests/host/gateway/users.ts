/** The users of the recorded exchanges, and what they may. */
export const USERS = "alice:wonder\nrita:rrr\nnadia:nnn\ngina:ggg\n";
export const EXTERNAL_AUTH = {
  file: {
    "^filename": "/brine/users",
    alice: [".*", "@runner", "@wheel", "@jobs"],
    rita: [
      "test.ping",
      {
        "web*": [
          "grains.*",
          { "cmd.run": { args: ["echo .*"], kwargs: { cwd: "/tmp" } } },
          { "test.arg": { args: ["a.*", ".*"] } },
        ],
      },
      { "@runner": ["manage.up", "jobs.list_jobs"] },
      { "@wheel": ["key.list_all"] },
    ],
    gina: ["@jobs", { web1: ["test.*"] }],
  },
  sharedsecret: { alice: [".*", "@runner", "@wheel", "@jobs"], "*": ["test.ping"] },
};
