demo-base:
  test.succeed_without_changes
