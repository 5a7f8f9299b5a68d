db: {primary: {{ grains.id }}}
