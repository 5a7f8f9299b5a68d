def ext_pillar(minion_id, pillar, path):
    return {"old": [minion_id, path, sorted(key for key in pillar if key in ("role", "shoppillar"))]}
