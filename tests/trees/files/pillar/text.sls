text: |
  from pillar
    kept
