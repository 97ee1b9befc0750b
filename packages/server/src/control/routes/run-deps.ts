import type { Store } from '@lachesis/store';
import type { RunConfigurator } from '../../services/runs/config/configurator.ts';
import type { RunService } from '../../services/runs/service.ts';

/** What the routes of runs work with. */
export interface RunDeps {
  store: Store;
  runs: RunService;
  configurator: RunConfigurator;
  /** Milliseconds that never go back. */
  monotonic: () => number;
}
