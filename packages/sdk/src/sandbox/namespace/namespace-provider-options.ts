import type { spawn } from 'node:child_process';

import type { BubblewrapArguments } from './bubblewrap-arguments.ts';
import type { ControlGroupHome } from './control-group.ts';

export interface NamespaceProviderOptions {
  /** Folders of the host that commands may read, for tool chains outside /usr. */
  readonly readOnlyFolders?: readonly string[];
  /** Where control groups can be made; looked up without it. `null` goes without them. */
  readonly controlGroups?: ControlGroupHome | null;
  readonly arguments?: BubblewrapArguments;
  /** Undefined gives each sandbox its own; without root it is always the user of this process. */
  readonly uid?: number;
  readonly spawn?: typeof spawn;
  readonly createId?: () => string;
  /** What makers left that are gone is ended before the first sandbox is created; `false` leaves that to `reap`. */
  readonly isReapingOnCreate?: boolean;
}
