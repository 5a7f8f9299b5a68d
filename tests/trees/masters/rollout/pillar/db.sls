db: {migrate: false}
