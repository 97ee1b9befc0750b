import type { ControlSettings } from '../http/settings/control-settings.ts';
import { findOwnProgram, PROGRAM_VARIABLE, type Program } from '../services/runs/programs/program.ts';
import { superviseChild } from '../process/supervise-child.ts';
import type { SocketKeeper } from '../process/socket-keeper.ts';

export interface ControlProcessOptions {
  settings: ControlSettings;
  /** How to run this program, for the processes of runs; found by itself when left out. */
  program?: Program;
  onRestart?: (death: { code: number | null; signal: string | null }) => void;
}

/** Starts the control process: a parent that keeps the socket, and the child that serves. */
export function startControl({
  settings,
  program = findOwnProgram(),
  onRestart,
}: ControlProcessOptions): Promise<SocketKeeper> {
  return superviseChild({
    settings,
    beside: import.meta.url,
    environment: program === undefined ? {} : { [PROGRAM_VARIABLE]: JSON.stringify(program) },
    onRestart,
  });
}
