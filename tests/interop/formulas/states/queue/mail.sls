queue-mail:
  file.managed:
    - name: {{ pillar.sandbox }}/etc/mailname
    - contents: {{ grains['fqdn'] if 'fqdn' in grains and False else 'mail.example.com' }}
    - unless:
      - fun: file.contains
        path: {{ pillar.sandbox }}/etc/mailname
        text: never
