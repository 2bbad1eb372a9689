# Alone, with the PostgreSQL that comes along and one volume:
#   docker build --tag bot-builder-service .
#   docker run --publish 3000:3000 --volume bots:/var/lib/bots bot-builder-service
# With a server of your own: --env DATABASE_URL=... --env FILES_DIR=/var/lib/bots/files
ARG NODE=node:24-bookworm-slim

# hadolint ignore=DL3006
FROM ${NODE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
# The package has what `files` in package.json names: it is what npx runs, too.
RUN npm run build && npm pack --ignore-scripts && tar --extract --gzip --file bot-builder-service-*.tgz \
  && npm prune --omit=dev

# hadolint ignore=DL3006
FROM ${NODE}
ENV NODE_ENV=production DATA_DIR=/var/lib/bots
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/package ./
# A volume that is mounted here belongs to the account that writes it.
RUN install --directory --owner=1000 --group=1000 --mode=0700 /var/lib/bots /var/lib/bots/files
VOLUME /var/lib/bots
# The account `node`, as a number that Kubernetes can tell from root.
USER 1000
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 3000) + '/readyz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--require", "./server/supported.cjs", "--enable-source-maps", "dist/server/main.js"]
