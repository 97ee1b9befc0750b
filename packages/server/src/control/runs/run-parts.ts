import type { Store } from '@lachesis/store';
import type { RunConfigurator } from './run-configurator.ts';
import type { RunService } from './run-service.ts';

/** What the routes of runs work with. */
export interface RunParts {
  store: Store;
  runs: RunService;
  configurator: RunConfigurator;
  /** Milliseconds that never go back. */
  monotonic: () => number;
}
