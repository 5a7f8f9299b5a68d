tier: dev
