base:
  earth:
    - match: shop
    - low
  ShopRole:
    - match: shop
    - files
  web1:
    - match: shop
    - services
  'web*':
    - kv
  nobody:
    - match: shop
    - fails
