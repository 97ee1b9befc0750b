import type { AgentEvent } from '@lachesis/sdk/agent';
import type { AgentTerminal } from './agent-terminal.ts';

const LONGEST_ARGUMENTS = 120;
const LONGEST_ERROR = 300;

/** What one event looks like; empty for those that nobody has to see. */
export function renderEvent(event: AgentEvent, { paint, clean }: Pick<AgentTerminal, 'paint' | 'clean'>): string {
  const line = (text: string, longest: number): string => {
    const flat = clean(text).replaceAll(/\s+/g, ' ').trim();
    return flat.length <= longest ? flat : `${flat.slice(0, longest)}…`;
  };
  switch (event.kind) {
    case 'model-replied': {
      // Words beside a call are thoughts on the way; the answer itself is written by whoever asked.
      const { content, tool_calls: calls } = event.message;
      const isOnTheWay = calls !== undefined && calls !== null && calls.length > 0;
      return isOnTheWay && typeof content === 'string' && content.trim() !== ''
        ? `${paint.dim(clean(content.trim()))}\n`
        : '';
    }
    case 'tool-started':
      return `${paint.cyan(`→ ${line(event.call.name, LONGEST_ARGUMENTS)}`)} ${paint.dim(line(JSON.stringify(event.call.args), LONGEST_ARGUMENTS))}\n`;
    case 'tool-refused':
      return `${paint.yellow('  not done')}: ${line(event.reason, LONGEST_ERROR)}\n`;
    case 'tool-ended':
      return event.isError
        ? `${paint.red('  failed')}: ${line(readError(event.text), LONGEST_ERROR)}\n`
        : `${paint.dim(`  done in ${(event.ms / 1_000).toFixed(1)} s`)}\n`;
    case 'model-asked':
    case 'ended':
      return '';
  }
}

function readError(text: string): string {
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    return typeof error === 'string' ? error : text;
  } catch {
    // A tool may word its failures as it likes.
    return text;
  }
}
