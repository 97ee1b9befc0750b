import type { TrajectoryApiSettings } from '../../http/settings/trajectory-api-settings.ts';
import type { OpenRun } from '../run-directory.ts';

/** What a command about a run works with: the run, where it is decided. */
export interface CommandContext {
  run: OpenRun;
  settings: TrajectoryApiSettings;
  monotonic: () => number;
  /** How long an environment may be silent, where that has to be in rows for the next owner; null where one server is alone. */
  silentMs: number | null;
}
