def ext_pillar(minion_id, pillar):
    raise ValueError("the store is away")
