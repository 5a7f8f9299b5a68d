base: {'*': [data]}
