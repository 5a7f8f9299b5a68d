check:
  test.check_pillar:
    - present: [release]
    - integer: ["release:version"]
    - listing: ["release:hosts"]
