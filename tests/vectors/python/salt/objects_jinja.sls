#!jinja|pyobjects
{% for number in [1, 2] %}
Test.nop("shelf {{ number }}")
{% endfor %}
