devonly-state:
  test.show_notification:
    - text: {{ saltenv }} {{ slspath }} {{ pillar.get("tier") }}
    - require:
      - sls: common
