migrate:
  test.succeed_with_changes:
    - require_in: [{sls: release.check}]
