{% from "ntp/map.jinja" import ntp as settings with context -%}
{% from "ntp/map.jinja" import missing %}
a: {test.nop: [{name: "{{ missing | default('none') }} {{ settings.service }}"}]}
