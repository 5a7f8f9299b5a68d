only-web1:
  test.{{ 'succeed_with_changes' if grains.id == 'web1' else 'fail_without_changes' }}: []
