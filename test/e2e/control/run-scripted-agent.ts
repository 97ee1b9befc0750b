import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { startProcess } from '../../kit/start-process.ts';
import { startScriptedModel, type Script, type ScriptedMessage } from '../../kit/start-scripted-model.ts';

const CLI = fileURLToPath(new URL('../../../packages/cli/src/main.ts', import.meta.url));

export interface ScriptedAgentOptions {
  controlUrl: string;
  home: string;
  /** The folder the agent stands in. */
  project: string;
  script: Script;
  timeoutMs: number;
  /** What else the command is given; without `--yes` nothing costly runs. */
  args?: readonly string[];
}

export interface ScriptedAgentRun {
  exitCode: number | null;
  /** What the command printed with `--json`. */
  result: {
    reason: string;
    text: string;
    turns: number;
    tool_calls: number;
    trajectory: string | null;
    error: string | null;
  };
  /** The last conversation that the model was asked with. */
  conversation: readonly ScriptedMessage[];
}

/** `lachesis agent`, as a person starts it, over a model that follows a script. */
export async function runScriptedAgent(options: ScriptedAgentOptions): Promise<ScriptedAgentRun> {
  const { controlUrl, home, project, script, timeoutMs, args = [] } = options;
  const model = await startScriptedModel(script);
  const lines: string[] = [];
  try {
    await using agent = await startProcess({
      command: process.execPath,
      args: [
        ...['--conditions=lachesis-source', CLI, 'agent', 'Train.', '--json', '--home', home],
        ...['--base-url', model.url, '--server', controlUrl, ...args],
      ],
      name: 'lachesis agent',
      cwd: project,
      env: { OPENAI_API_KEY: undefined, LACHESIS_AGENT_API_KEY: undefined, LACHESIS_AGENT_MODEL: undefined },
      onLine: (line) => void lines.push(line),
    });
    // With the end of its output, and not only of the process: the line may arrive after the exit.
    const closed = once(agent.child, 'close', { signal: AbortSignal.timeout(timeoutMs) });
    await closed.catch((cause: unknown) => {
      throw new Error(`the agent was not done after ${timeoutMs} ms; it printed:\n${agent.logs()}`, { cause });
    });
    const { code } = await agent.exited;
    const printed = lines.find((line) => line.startsWith('{'));
    if (printed === undefined) throw new Error(`the agent printed no result, but:\n${agent.logs()}`);
    const result = JSON.parse(printed) as ScriptedAgentRun['result'];
    return { exitCode: code, result, conversation: model.asked.at(-1) ?? [] };
  } finally {
    await model.close();
  }
}
