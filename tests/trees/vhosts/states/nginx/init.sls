include: [nginx.vhosts, nginx.service]
