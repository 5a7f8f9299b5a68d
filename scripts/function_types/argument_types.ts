/**
 * What the arguments of functions may be, as text in TypeScript, for those of which a default says nothing: by type, the
 * names that have it everywhere, or where a name means something else `module.name` or `module.function.name`. An argument
 * that is in no row has the type of its default; without one it may be anything.
 */
const ROWS: Readonly<Record<string, string>> = {
  string: `
    after alias archive_format attr attributes attrs author bank base basedir bin_env blockend blockstart branch
    ca_filename ca_name ca_server cacert_path cache_dir cachedir cert_filename cert_path cert_type chain
    challenge_hmac character_set cidr cmd.tty.device CN code collate command comment compression conf_file config
    container content criteria crl_file crypt_salt csr_filename csr_path cwd database datadir db_host db_password
    db_user dbname debconf desc dest dev device dir dir_mode dir_path distribution dockerfile domain driver dst
    emailAddress enc encoding exec_driver expr ext_source ext_version file1 file2 file_hash
    file_name filename filetype fingerprint fingerprint_hash_type flag fname fromrepo fs_type fstype fullname fun
    func function gem_bin glob glob_expr glob_path gnupghome group groupname gzipfile hash_fn hash_type home hook
    host hostname https_pass https_user icmp id_ identifier identity iface iface_type image infile instr interface
    ip ip_addr item1 item2 jid jobid key key_filename keydir keyfile keyid keyname keyserver kind label_type lang layout
    lc_collate lc_ctype level link locale location log loginclass lvname lvpath mac maintenance_db match message
    minion minion_id mod module module_path name name_email nameserver net_id netmask network_id new_name new_owner
    newdate newtime not_found_content ntype object_name object_type oper option originalfile OU outcome outfile
    output output_encoding outputter owner ownername package package_path part_type passphrase password
    password_column password_hash patchfile path pattern pem_type pillarenv pkg1 pkg2 pkg_path pkgname pkgver policy
    prefix prepend_path priv private_key_passphrase prompt protocol prvfile pub pubfile python query question
    rarfile real_name ref ref1 ref2 regex registry remote repl repo repository reset_branch resource rev role
    rolepassword root ruby runas saltenv schema section sel_level sel_range sel_type sel_user separate_git_dir
    serange serializer serole service setype seuser sfn shared_secret shell signature signature_path signing_policy
    snapshot sock_dir soname source_hash source_hash_file1 source_hash_file2 source_hash_name source_uri sourcefile
    special src ssh_password ssh_priv_key ssh_user startpath state_id stdin stream_or_string string table tablespace
    tag tarfile tem template text time_format timezone title token topfn trust_level type unit upload_path uri url
    user username utc_offset valid_until value_regex venv venv_bin ver1 ver2 verstr vfstype vgname via_master
    acl_type apache.conf apache.site conf_path excludefrom fmt hg.opts nfs3.hosts passwordfile pwfile rsh
    virtualenv.path waldir worktree_path zip_file zone zonefile
  `,
  "string | string[]": `
    aliases.target nfs3.options smbios.fields
    args backend cidrs cmd devices disks exclude excludes extmod_blacklist extmod_whitelist extra_index_url
    find_links gems groups ids interfaces keyids keys members_list mirrors mods mysql.grant names npm.pkgs onlyif
    paths pip.pkgs privileges recipients refs refspecs requirements search_function search_target states tgt
    trusted_host unless user.groups
  `,
  "string | number": `
    rec_type date daymonth dayweek db_port end expire extents file.group file.user from_minor gid hour lvm.size minute mode
    month older_than partition port priority sig signal start system_id to_minor uid umask
  `,
  number: `
    bits connlimit count days days_valid depth duration gather_job_timeout hours inactdays inode_size keysize length
    limit major maxdays mindays minor minutes months num offset pid private_port range seconds size strip_components
    subkey_length test.rand_sleep.max test.sleep.length timeout warndays years
  `,
  boolean: `
    allow_group_access cascade createdb createroles data_checksums diff_attr downloadonly force fork_point gzip
    if_exists if_not_exists inherit keep_env lazy_itable_init login merge_nested_lists mkmnt never_download
    python_shell replication restrict sign superuser symlinks sysupgrade test unmask upgrade usergroup
  `,
  "Record<string, unknown>": `
    buildargs context defaults driver_opts env_vars environ extensions grains kwarg lookup_dict pillar
    pillar.ext.external sections
  `,
  "Record<string, string[]>": "key.accept_dict.match key.reject_dict.match key.delete_dict.match",
  "string | Record<string, unknown> | Record<string, unknown>[]": "env",
  "unknown[]": "arg lst",
  "(string | Record<string, string | null>)[]": "pkgs",
  "Record<string, string>[]": "pkg.install.sources pkg.hold.sources pkg.unhold.sources",
  "boolean | number": "queue",
  "boolean | string": "backup",
  "number[]": "success_retcodes",
  "string[]": "success_stdout success_stderr rsync.additional_opts",
  // Whatever their default is, they take more than it.
  unknown: `
    apache.config.config archive.sources archive.tar.sources archive.template boolean build cmd.run_chroot.binds cmd.template
    config.get.merge cp.dest cp.template cron.comment cron.identifier debconf.context debconf.defaults
    debconf.template default docker.filters docker.tag docker.timeout event.preload file.check_perms.ret
    file.manage_file.ret file.template firewalld.rule grain grains.filter_by.merge iptables.position iptables.rule
    jobs.last_run.metadata jobs.list_jobs.search_metadata match.filter_by.merge mine.tgt mount.config mount.device
    mount.opts mount.user network.type nftables.position nftables.rule nginx.signal pillar.filter_by.pillar
    pip.editable pkg_resource.packages pkg_resource.versions_as_list ps.attrs random.hash.value random.rand_int.seed
    random.sample.size state.high.data state.low.data sys.context test.echo.text test.outputter.data
    test.retcode.code timezone.clock user.createhome val value x509.certificate x509.crl x509.csr x509.passphrase
    x509.private_key x509.public_key x509.signing_cert x509.signing_private_key
  `,
};

/** Argument, as above → its type. */
export const ARGUMENT_TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries(ROWS).flatMap(([type, names]) =>
    names.split(/\s+/).filter((name) => name !== "").map((name): [string, string] => [name, type])
  ),
);
