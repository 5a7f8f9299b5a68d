written:
  shopfile.present:
    - name: {{ pillar['dir'] }}/a
    - contents: "one\n"
again:
  shopfile.present:
    - name: {{ pillar['dir'] }}/a
    - contents: "one\n"
    - require:
      - shopfile: written
web:
  shopsvc.running:
    - sig: HUP
    - watch:
      - shopfile: written
idle:
  shopsvc.running:
    - watch:
      - shopfile: again
gone:
  shopfile.absent:
    - name: {{ pillar['dir'] }}/never
unless_it:
  shopfile.present:
    - name: {{ pillar['dir'] }}/b
    - unless: "true"
listener:
  shopsvc.running:
    - listen:
      - shopfile: written
