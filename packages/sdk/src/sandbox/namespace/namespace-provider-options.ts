import type { spawn } from 'node:child_process';

import type { BubblewrapArguments } from './bubblewrap-arguments.ts';
import type { ControlGroupHome } from './control-group.ts';

export interface NamespaceProviderOptions {
  /** Folders of the host that commands may read, for tool chains outside /usr. */
  readonly readOnlyFolders?: readonly string[];
  /**
   * Where control groups can be made; looked up without it, and `create` is refused where there are none. `null` goes without
   * them: memory and processor are watched ten times a second, and a burst, or memory that belongs to no process, goes over.
   */
  readonly controlGroups?: ControlGroupHome | null;
  readonly arguments?: BubblewrapArguments;
  /** The filter of system calls in place of ours. */
  readonly createFilter?: () => Uint8Array | undefined;
  /** Undefined gives each sandbox its own; without root it is always the user of this process. */
  readonly uid?: number;
  readonly spawn?: typeof spawn;
  readonly createId?: () => string;
  /** What makers left that are gone is ended before the first sandbox is created; `false` leaves that to `reap`. */
  readonly isReapingOnCreate?: boolean;
}
