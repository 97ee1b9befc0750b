import type { ChatMessage } from '@lachesis/protocol';
import { runAgent, type AgentModel, type AgentResult, type AgentTool, type RunAgentOptions } from '@lachesis/sdk/agent';
import type { AgentTerminal } from './agent-terminal.ts';
import { createApprover } from './create-approver.ts';
import { describeEnd } from './describe-end.ts';
import { renderEvent } from './render-event.ts';

export interface SessionOptions extends Pick<RunAgentOptions, 'limits' | 'clock' | 'run' | 'sandbox'> {
  model: AgentModel;
  tools: readonly AgentTool[];
  systemPrompt: string;
  terminal: AgentTerminal;
  /** Whether calls with a risk run without a question. */
  allowsAll: boolean;
}

export interface TaskOptions extends SessionOptions {
  task: string;
  signal?: AbortSignal | undefined;
}

/** One task, to its end. */
export function runTask({ task, ...options }: TaskOptions): Promise<AgentResult> {
  const messages = [
    { role: 'system', content: options.systemPrompt },
    { role: 'user', content: task },
  ];
  return continueTalk(options, messages, createApprover(options), options.signal);
}

export interface TalkOptions extends SessionOptions {
  /** Done before the person is asked for more. */
  firstTask?: string | undefined;
  /** A signal for each task, so that one can be ended without the talk. */
  openSignal: () => { signal: AbortSignal; close(): void };
}

const HELP = `Say what to do, in words. Besides:
  /tools   what the agent can do
  /help    this
  /quit    end (Ctrl-D too); Ctrl-C ends the task under way
`;

/** Task after task in one conversation. Undefined when nothing was asked. */
export async function runTalk({ firstTask, openSignal, ...options }: TalkOptions): Promise<AgentResult | undefined> {
  const { terminal, tools, systemPrompt } = options;
  const { paint, clean } = terminal;
  const approve = createApprover(options);
  let messages: readonly ChatMessage[] = [{ role: 'system', content: systemPrompt }];
  let last: AgentResult | undefined;
  for (let line = firstTask ?? (await terminal.ask(PROMPT)); ; line = await terminal.ask(PROMPT)) {
    if (line === undefined) {
      // The prompt still stands there.
      terminal.write('\n');
      break;
    }
    const task = line.trim();
    if (task === '/quit' || task === '/exit') break;
    if (task === '/tools')
      terminal.write(tools.map(({ name, description }) => `  ${paint.bold(name)}  ${description}\n`).join(''));
    else if (task.startsWith('/')) terminal.write(HELP);
    else if (task !== '') {
      const { signal, close } = openSignal();
      try {
        last = await continueTalk(options, [...messages, { role: 'user', content: task }], approve, signal);
      } finally {
        close();
      }
      messages = last.messages;
      const end = describeEnd(last);
      if (last.text.trim() !== '') terminal.write(`\n${clean(last.text.trim())}\n\n`);
      if (end !== undefined) terminal.write(`${paint.red(clean(end))}\n`);
    }
  }
  // The counts are those of the last task; the conversation is the whole one.
  return last;
}

const PROMPT = 'lachesis> ';

function continueTalk(
  options: SessionOptions,
  messages: readonly ChatMessage[],
  approve: RunAgentOptions['approve'],
  signal: AbortSignal | undefined,
): Promise<AgentResult> {
  const { model, tools, terminal, limits, clock, run, sandbox } = options;
  const onEvent: RunAgentOptions['onEvent'] = (event) => terminal.write(renderEvent(event, terminal));
  return runAgent({ model, tools, messages, limits, approve, onEvent, signal, clock, run, sandbox });
}
