composed:
  shopcalls.composed:
    - name: {{ pillar['dir'] }}/composed
own:
  shopcalls.own_state: []
