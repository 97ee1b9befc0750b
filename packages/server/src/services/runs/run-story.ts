import type { RunRole } from '@lachesis/protocol';
import { listRunProcesses, type RunProcessRecord, type Store, type TrainingRun } from '@lachesis/store';
import { readLogFrom } from './read-log.ts';
import { sizeOfFile } from './size-of-file.ts';
import { ROLE_NAMES } from './supervisor/supervise-process.ts';

/** What happens to a run, told to somebody who waits for it. */
export interface Story {
  /** Tells what is new since the last look. */
  look(run: TrainingRun): Promise<void>;
}

/** Follows a run from here on: what its log says already was told to somebody else. */
export async function createStory(options: {
  store: Store;
  run: TrainingRun;
  /** Sentences for a person. */
  onEvent: (sentence: string) => void;
  /** Lines of the trainer. */
  onLine: (line: string) => void;
}): Promise<Story> {
  const { store, run, onEvent, onLine } = options;
  const key = { store, tenantId: run.tenantId, runId: run.runId };
  const processes = await listRunProcesses(key);
  const seen = new Map<RunRole, RunProcessRecord>(processes.map((process) => [process.role, process]));
  const logPath = seen.get('trainer')?.logPath;
  let offset = logPath === undefined ? 0 : await sizeOfFile(logPath);

  const tellProcess = (process: RunProcessRecord): void => {
    const before = seen.get(process.role);
    seen.set(process.role, process);
    const name = ROLE_NAMES[process.role];
    if (before !== undefined && process.restarts > before.restarts)
      onEvent(`the ${name} died (${process.reason ?? 'no reason is known'}) and is started again`);
    if (process.state === before?.state) return;
    if (process.state === 'running')
      onEvent(`${name} ${process.role === 'env' ? 'started' : 'is up'}; log ${process.logPath}`);
    if (process.state === 'stopped' && before?.state === 'running') onEvent(`the ${name} has ended`);
  };

  return {
    async look() {
      for (const process of await listRunProcesses(key)) tellProcess(process);
      if (logPath === undefined) return;
      for (;;) {
        const chunk = await readLogFrom(logPath, offset);
        offset = chunk.offset;
        if (chunk.lines.length === 0) return;
        for (const line of chunk.lines) onLine(line);
      }
    },
  };
}
