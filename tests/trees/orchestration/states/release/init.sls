include: [.check]
{% set version = salt['pillar.get']('release:version') %}
release-{{ version }}:
  file.managed:
    - name: {{ opts.cachedir }}/out/{{ grains.id }}/version
    - makedirs: True
    - contents: {{ version | yaml_dquote }}
    - require: [{test: check}]
{% if grains.id in pillar.release.hosts %}
announce:
  event.send:
    - name: release/{{ grains.id }}/done
    - data: {version: {{ version }}}
    - onchanges: [{file: release-{{ version }}}]
{% endif %}
