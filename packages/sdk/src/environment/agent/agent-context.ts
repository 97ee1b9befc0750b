import type { ExecOptions, ExecResult, FileEntry, Sandbox } from '../../sandbox/sandbox.ts';
import type { RolloutContext } from '../definition.ts';
import type { CleanGrade, CleanGradeOptions } from './grade-in-clean-sandbox.ts';

/** What `computeReward` gets: the rollout's own sandbox, and a clean one to grade in. All of it is released when it returns. */
export interface AgentContext<Own = Record<string, unknown>, State = unknown> extends RolloutContext<Own, State> {
  /** Whether the agent used a sandbox; without one the calls below make an empty one. */
  readonly hasSandbox: boolean;
  /** The agent worked in it: what it says is the agent's word. `gradeInCleanSandbox` does not take its word. */
  sandbox(): Promise<Sandbox>;
  /** Runs a command where the agent worked. */
  terminal(command: string | readonly string[], options?: ExecOptions): Promise<ExecResult>;
  readFile(path: string): Promise<string>;
  writeFile(path: string, data: string | Uint8Array): Promise<void>;
  listFiles(path: string): Promise<FileEntry[]>;
  /** Takes what the agent made into a second sandbox that it never saw, and grades it there. */
  gradeInCleanSandbox<Graded = undefined>(options: CleanGradeOptions<Graded>): Promise<CleanGrade<Graded>>;
}

export interface AgentContextOptions {
  readonly context: RolloutContext;
  readonly hasSandbox: () => boolean;
  readonly sandbox: () => Promise<Sandbox>;
  readonly gradeInCleanSandbox: AgentContext['gradeInCleanSandbox'];
}

export function createAgentContext({
  context,
  hasSandbox,
  sandbox,
  gradeInCleanSandbox,
}: AgentContextOptions): AgentContext {
  const { signal } = context;
  return {
    ...context,
    get hasSandbox() {
      return hasSandbox();
    },
    sandbox,
    terminal: async (command, options) => (await sandbox()).exec(command, { signal, ...options }),
    readFile: async (path) => new TextDecoder().decode(await (await sandbox()).readFile(path)),
    writeFile: async (path, data) => (await sandbox()).writeFile(path, data),
    listFiles: async (path) => (await sandbox()).listFiles(path),
    gradeInCleanSandbox,
  };
}
