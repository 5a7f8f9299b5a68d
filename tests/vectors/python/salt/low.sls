first:
  shoplow.seen: []
second:
  shoplow.seen:
    - name: other
    - require:
      - first
