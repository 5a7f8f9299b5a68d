{% set release = salt['pillar.get']('release', 1) %}
web-release-{{ release }}:
  test.configurable_test_state:
    - changes: True
    - result: {{ release != 13 }}
    - comment: {{ grains.role }} runs release {{ release }}
web-check:
  test.nop:
    - require:
      - test: web-release-{{ release }}
