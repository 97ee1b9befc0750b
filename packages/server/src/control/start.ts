import type { ControlSettings } from '../http/settings/control-settings.ts';
import { findOwnProgram, PROGRAM_VARIABLE, type Program } from '../services/runs/programs/program.ts';
import { superviseChild } from '../process/supervise-child.ts';
import type { SocketSupervisor } from '../process/supervise-socket.ts';

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
}: ControlProcessOptions): Promise<SocketSupervisor> {
  return superviseChild({
    settings,
    beside: import.meta.url,
    env: program === undefined ? {} : { [PROGRAM_VARIABLE]: JSON.stringify(program) },
    onRestart,
  });
}
