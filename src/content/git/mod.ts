/**
 * Repositories that are fetched and read with the program git: for the file server and for pillar. Nothing is ever checked out
 * by git itself: names and contents of a repository are its owner's, who need not be ours.
 */
export { type GitAuth, GitError, type GitHost } from "./command.ts";
export { isHex, placeIn, refOf, savedEnvironments } from "./environments.ts";
export { allPillarRepositories, pillarBranch, pillarEnvironment, pillarRepositories } from "./pillar_remotes.ts";
export { type GitRemote, gitRemotes, type GitRole } from "./remote.ts";
export type { Refs } from "./refs.ts";
export { GitRepository } from "./repository.ts";
export { entryAt, type GitTree, type TreeEntry } from "./tree.ts";
