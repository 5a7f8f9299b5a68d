#!jinja|json
{% set n = 2 %}
{"j": {"test.nop": [{"name": "{{ n }}"}, {"order": {{ n }}}]}}
