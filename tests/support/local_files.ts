/** Options of a minion that has its own files, with a cache beside the directory of its `base`. */
export function localFiles(roots: string): Record<string, unknown> {
  return {
    cachedir: `${roots}.cache`,
    file_client: "local",
    file_roots: { base: [roots] },
    fileserver_backend: ["roots"],
    file_ignore_regex: [],
    file_ignore_glob: [],
    fileserver_followsymlinks: true,
    fileserver_ignoresymlinks: false,
    fileserver_limit_traversal: false,
    fileserver_list_cache_time: 20,
    file_buffer_size: 262144,
    hash_type: "sha256",
    saltenv: null,
  };
}
