app: {port: 90, limits: {disk: {home: 1}}, list: [d, a]}
{% if grains.get('app') %}
app_of_grain: {{ grains.app.limits.mem + 1 }}
{% endif %}
