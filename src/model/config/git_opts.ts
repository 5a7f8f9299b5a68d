import { bool, list, number, text } from "./option.ts";

export const REFSPECS = ["+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*"];

/** Options of `gitfs` for all remotes. Each remote may override them. */
export const GITFS_OPTIONS = {
  gitfs_remotes: list([], "Repositories that files are served from, by their addresses; see docs/gitfs.md."),
  gitfs_base: text("master", "The branch or tag that is the environment base."),
  gitfs_root: text("", "The directory of a repository below which files are served."),
  gitfs_mountpoint: text("", "The directory of the environment that a repository's files appear in."),
  gitfs_saltenv: list([], "A map from an environment to its `ref`, `root` and `mountpoint`."),
  gitfs_saltenv_whitelist: list([], "Environments that are served, as globs or regular expressions; empty for all."),
  gitfs_saltenv_blacklist: list([], "Environments that are not served."),
  gitfs_ref_types: list(["branch", "tag", "sha"], "What may be an environment: `branch`, `tag`, `sha`."),
  gitfs_refspecs: list(REFSPECS, "What is fetched."),
  gitfs_fallback: text("", "The branch or tag for environments that a repository does not have."),
  gitfs_disable_saltenv_mapping: bool(false, "Only environments that gitfs_saltenv or a remote names are served."),
  gitfs_update_interval: number(60, "Seconds between two fetches of a remote."),
  gitfs_ssl_verify: bool(true, "Checks the certificates of https."),
  gitfs_user: text("", "The user of https."),
  gitfs_password: text("", "The password of https.", { secret: true }),
  gitfs_insecure_auth: bool(false, "Sends a password over http, without TLS."),
  gitfs_privkey: text("", "The file of the private key of ssh.", { secret: true }),
  gitfs_passphrase: text("", "The pass phrase of that key.", { secret: true }),
};

export const GIT_PILLAR_OPTIONS = {
  git_pillar_base: text("master", "The branch that is the environment base."),
  git_pillar_branch: text("master", "The branch of a remote that names none."),
  git_pillar_env: text("", "The environment of the remotes' files; empty for that of the branch."),
  git_pillar_root: text("", "The directory of a repository that is the root of pillar files."),
  git_pillar_fallback: text("", "The branch for environments that a repository does not have, with `__env__`."),
  git_pillar_includes: bool(true, "Files of one remote may include those of the others of the same environment."),
  git_pillar_refspecs: list(REFSPECS, "What is fetched."),
  git_pillar_update_interval: number(60, "Seconds between two fetches of a remote."),
  git_pillar_ssl_verify: bool(true, "Checks the certificates of https."),
  git_pillar_user: text("", "The user of https."),
  git_pillar_password: text("", "The password of https.", { secret: true }),
  git_pillar_insecure_auth: bool(false, "Sends a password over http, without TLS."),
  git_pillar_privkey: text("", "The file of the private key of ssh.", { secret: true }),
  git_pillar_passphrase: text("", "The pass phrase of that key.", { secret: true }),
};
