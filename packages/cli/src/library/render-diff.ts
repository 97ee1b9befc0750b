import type { ChatMessage, TrajectoryDetail } from '@lachesis/protocol';
import { cleanLine, cleanText } from '../terminal/clean-text.ts';
import type { MessageDiff } from '@lachesis/protocol/conversation';
import { messageText } from '@lachesis/protocol/conversation';
import type { Paint } from '../terminal/paint.ts';
import { cutText, wrapText } from '../terminal/text-width.ts';

export interface RenderDiffOptions {
  paint: Paint;
  columns: number;
}

interface Side {
  detail: TrajectoryDetail;
  messages: readonly ChatMessage[];
}

const LINES = 6;

/** Two runs, one under the other: equal messages in a line, others with both sides. */
export function renderDiff(left: Side, right: Side, { steps, first }: MessageDiff, options: RenderDiffOptions): string {
  const { paint, columns } = options;
  const same = steps.filter(({ kind }) => kind === 'same').length;
  const lines = [
    paint.red(`- ${describeSide(left)}`),
    paint.green(`+ ${describeSide(right)}`),
    '',
    first === undefined
      ? `the same conversation: ${same} messages`
      : paint.bold(`first difference: ${cleanLine(first.what)}`),
    paint.dim(`${same} messages are the same, ${steps.length - same} are not`),
    '',
  ];
  const renderSide = (sign: '-' | '+', message: ChatMessage | undefined): string[] => {
    const colour = sign === '-' ? paint.red : paint.green;
    const all = wrapText(cleanText(describeMessage(message)), columns - 4);
    const shown = all.slice(0, LINES);
    const more = all.length > LINES ? [`… ${all.length - LINES} more lines`] : [];
    return [...shown, ...more].map((line) => colour(`${sign} ${line}`));
  };
  const renderStep = (step: MessageDiff['steps'][number]): string[] => {
    switch (step.kind) {
      case 'same': {
        const message = left.messages[step.left];
        const text = `  ${message?.role ?? ''}: ${cleanLine(describeMessage(message))}`;
        return [paint.dim(cutText(text, columns))];
      }
      case 'changed':
        return [
          paint.bold(`  ${cleanLine(left.messages[step.left]?.role ?? '')}, ${cleanLine(step.what)}`),
          ...renderSide('-', left.messages[step.left]),
          ...renderSide('+', right.messages[step.right]),
        ];
      case 'left':
        return renderSide('-', left.messages[step.left]);
      case 'right':
        return renderSide('+', right.messages[step.right]);
    }
  };
  return `${[...lines, ...steps.flatMap(renderStep)].join('\n')}\n`;
}

function describeSide({ detail: { summary }, messages }: Side): string {
  const reward = summary.reward === null ? '' : ` · reward ${summary.reward}`;
  return `${summary.trajectory_id}  ${cleanLine(summary.model ?? 'no model')} · ${messages.length} messages${reward}`;
}

function describeMessage(message: ChatMessage | undefined): string {
  if (message === undefined) return '';
  const calls = (message.tool_calls ?? []).map((call) => `→ ${call.function.name}(${call.function.arguments})`);
  const text = messageText(message).trim();
  return [...(text === '' ? [] : [text]), ...calls].join('\n');
}
