import type { SandboxLimits } from '../sandbox.ts';
import { EXEC_PROCESSES, HOLDER_PROCESSES } from './overhead.ts';

/** For the limit of the kernel per user, which cannot follow the number of commands. */
const FEW_EXECS = 8;

/** Of one process: each file and socket takes memory of the kernel. */
const OPEN_FILES = 1_024;

/** Of a user who also has other things to do; a control group holds the sandbox's own. */
const MANY_PROCESSES = 32_768;

export interface ConfineOptions {
  readonly limits: SandboxLimits;
  /** So many files of groups are open from descriptor 3 on, to be joined. None: the kernel's limits for single processes have to do. */
  readonly joins: number;
  /** Waits and does nothing, so time of the processor is no matter. */
  readonly isHolder: boolean;
  /** Nobody else runs as its user. The kernel counts processes per user, so for a shared one its count says nothing. */
  readonly hasOwnUser: boolean;
  /** How many after those are meant for the program. */
  readonly descriptors: number;
  readonly argv: readonly string[];
}

/** Puts limits around a command line, before the first program of the sandbox runs. The user is the starter's to choose. */
export function confine({ limits, joins, isHolder, hasOwnUser, descriptors, argv }: ConfineOptions): string[] {
  const counted = limits.processes + HOLDER_PROCESSES + EXEC_PROCESSES * FEW_EXECS;
  const processes = hasOwnUser || joins === 0 ? counted : MANY_PROCESSES;
  const last = 2 + joins + descriptors;
  const joined = Array.from({ length: joins }, (_, index) => 3 + index);
  const script = [
    // A command that cannot be put into its group must not run without.
    ...joined.map((descriptor) => `echo 0 >&${descriptor} || exit 125; exec ${descriptor}>&-`),
    'ulimit -c 0',
    // A lower limit of whoever started us stays.
    `ulimit -n ${OPEN_FILES} 2>/dev/null || :`,
    ...(joins === 0 ? [`ulimit -d ${Math.ceil(limits.memoryBytes / 1024)}`] : []),
    ...(isHolder ? [] : [`ulimit -t ${Math.ceil(limits.cpuSeconds) + 1}`]),
    // One letter in bash, the other in dash.
    `ulimit -u ${processes} 2>/dev/null || ulimit -p ${processes} 2>/dev/null || ${hasOwnUser ? 'exit 125' : ':'}`,
    // Whoever started this process may have left files open in it, which Node hands down. sh cannot close any number; bash can.
    `for f in /proc/self/fd/*; do if [ "\${f##*/}" -gt ${last} ] && [ -L "$f" ]; then exec bash --norc -p -c '${closeAllAbove(last)}' bash "$@"; fi; done`,
    'exec "$@"',
  ].join('\n');
  return ['/bin/sh', '-c', script, 'sh', ...argv];
}

const closeAllAbove = (last: number): string =>
  `for f in /proc/self/fd/*; do n=\${f##*/}; if ((n > ${last})); then exec {n}<&-; fi; done; exec "$@"`;
