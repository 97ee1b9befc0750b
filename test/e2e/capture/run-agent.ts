import path from 'node:path';
import { startProcess } from '../../kit/start-process.ts';
import { findAtroposPython } from '../../peers/atropos/run-python.ts';

export interface AgentRun {
  /** A file of `agents`. */
  readonly file: string;
  readonly baseUrl: string;
  readonly home: string;
}

const LONGEST_MS = 60_000;

/** Runs an agent to its end and returns what it printed. It is told where its model is, and nothing else. */
export async function runAgent({ file, baseUrl, home }: AgentRun): Promise<string> {
  const script = path.join(import.meta.dirname, 'agents', file);
  const isPython = file.endsWith('.py');
  await using agent = await startProcess({
    name: file,
    command: isPython ? findAtroposPython() : process.execPath,
    args: isPython ? [script] : ['--conditions=lachesis-source', script],
    env: { OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: 'any-key', LACHESIS_HOME: home, LACHESIS_URL: undefined },
  });
  const timer = setTimeout(() => void agent.stop(), LONGEST_MS);
  const { code } = await agent.exited;
  clearTimeout(timer);
  if (code !== 0) throw new Error(`${file} ended with ${code}:\n${agent.logs()}`);
  return agent.logs().trim();
}
