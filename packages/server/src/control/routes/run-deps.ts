import type { Store } from '@lachesis/store';
import type { RunConfigurator } from '../../services/runs/config/configurator.ts';
import type { NamedRecipe } from '../../services/runs/compare/describe-settings.ts';
import type { RunService } from '../../services/runs/service.ts';

/** What the routes of runs work with. */
export interface RunDeps {
  store: Store;
  /** Where the files of runs are. */
  home: string;
  runs: RunService;
  configurator: RunConfigurator;
  /** What runs of this server are made by. */
  recipe: NamedRecipe;
  /** Milliseconds that never go back. */
  monotonic: () => number;
}
