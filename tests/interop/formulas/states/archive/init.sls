archive-extracted:
  archive.extracted:
    - name: {{ pillar.sandbox }}/srv/archive
    - source: {{ pillar.get('archive', pillar.sandbox ~ '/archive.tar.gz') }}
    - skip_verify: True
    - enforce_toplevel: False
    - if_missing: {{ pillar.sandbox }}/srv/archive/done
