secret_b: {{ salt["grains.get"]("id") }}
