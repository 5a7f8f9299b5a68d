nightly:
  shop_backup.present:
    - keep: 3
    - targets: [b]
gone:
  shop_backup.absent: []
seen:
  shop_backup.present:
    - keep: 1
    - targets: [a]
    - watch:
      - shop_backup: nightly
