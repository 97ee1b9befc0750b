import { Counter, Histogram, type Registry } from 'prom-client';
import { measureEventLoopLag } from './event-loop-lag.ts';

/** Rate, errors and duration by route, and how late the process is; labels are route patterns, never ids. */
export class HttpMetrics {
  readonly #requests: Counter;
  readonly #duration: Histogram;
  readonly #refused: Counter;

  constructor(registry: Registry) {
    this.#requests = new Counter({
      name: 'lachesis_http_requests_total',
      help: 'Requests answered.',
      labelNames: ['method', 'route', 'code'],
      registers: [registry],
    });
    this.#duration = new Histogram({
      name: 'lachesis_http_duration_seconds',
      help: 'Time from request to the end of the reply.',
      labelNames: ['method', 'route'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
      registers: [registry],
    });
    this.#refused = new Counter({
      name: 'lachesis_http_quota_refusals_total',
      help: 'Requests refused with 429 because a token or tenant was at a limit.',
      labelNames: ['limit'],
      registers: [registry],
    });
    measureEventLoopLag(registry);
  }

  refuse(limit: string): void {
    this.#refused.inc({ limit });
  }

  observe(method: string, route: string, code: number, seconds: number): void {
    this.#requests.inc({ method, route, code });
    this.#duration.observe({ method, route }, seconds);
  }
}
