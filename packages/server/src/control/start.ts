import type { ControlSettings } from '../http/settings/control-settings.ts';
import { findOwnProgram, PROGRAM_VARIABLE, type Program } from '../services/runs/programs/program.ts';
import { PAGE_VARIABLE } from './page/page-variable.ts';
import { superviseChild } from '../process/supervise-child.ts';
import type { SocketSupervisor } from '../process/supervise-socket.ts';

export interface ControlProcessOptions {
  settings: ControlSettings;
  /** How to run this program, for the processes of runs; found by itself when left out. */
  program?: Program;
  /** Where the page was built into; without it there is none. */
  pageFolder?: string | undefined;
  onRestart?: (death: { code: number | null; signal: string | null }) => void;
}

/** Starts the control process: a parent that keeps the socket, and the child that serves. */
export function startControl({
  settings,
  program = findOwnProgram(),
  pageFolder,
  onRestart,
}: ControlProcessOptions): Promise<SocketSupervisor> {
  return superviseChild({
    settings,
    beside: import.meta.url,
    env: {
      ...(program === undefined ? {} : { [PROGRAM_VARIABLE]: JSON.stringify(program) }),
      ...(pageFolder === undefined ? {} : { [PAGE_VARIABLE]: pageFolder }),
    },
    onRestart,
  });
}
