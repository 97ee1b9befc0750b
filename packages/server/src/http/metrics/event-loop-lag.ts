import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Gauge, type Registry } from 'prom-client';

/** Coarse on purpose: a stall that matters is longer, and a finer timer would cost on a quiet machine. */
const RESOLUTION_MS = 100;
const NANOSECONDS = 1e9;

/** How late timers of this process fire at worst, since somebody asked the last time. */
export function measureEventLoopLag(registry: Registry): Gauge {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  return new Gauge({
    name: 'lachesis_event_loop_lag_seconds',
    help: 'How late timers fire at worst, since the last reading.',
    registers: [registry],
    collect() {
      // A delay is measured from one tick to the next, so that an idle loop shows the resolution itself.
      this.set(Math.max(0, histogram.max / NANOSECONDS - RESOLUTION_MS / 1000));
      histogram.reset();
    },
  });
}
