import { Gauge, type Registry } from 'prom-client';

/** Declares a gauge in `registry`. `collect` sets its values before each scrape. */
export function gauge<Label extends string>(
  registry: Registry,
  name: string,
  help: string,
  labelNames: Label[] = [],
  collect?: (gauge: Gauge<Label>) => void,
): Gauge<Label> {
  const declared: Gauge<Label> = new Gauge({
    name,
    help,
    labelNames,
    registers: [registry],
    ...(collect && { collect: () => collect(declared) }),
  });
  return declared;
}
