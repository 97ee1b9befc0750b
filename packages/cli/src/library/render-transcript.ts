import type { ChatMessage, ChatToolCall, TrajectoryDetail, TrajectoryTurn } from '@lachesis/protocol';
import { cleanLine, cleanText } from '../terminal/clean-text.ts';
import { formatMs } from '../terminal/format-duration.ts';
import { splitThinking } from '@lachesis/protocol/conversation';
import type { Paint } from '../terminal/paint.ts';
import { cutText, wrapText } from '../terminal/text-width.ts';

export interface RenderTranscriptOptions {
  paint: Paint;
  columns: number;
  /** Show thinking whole instead of one line of it. */
  showThinking: boolean;
  /** Show results of tools whole instead of their first lines. */
  showResults?: boolean;
}

const RESULT_LINES = 3;
const INDENT = '  ';

/** A trajectory to read: who said what, thinking folded, tools in a line each. */
export function renderTranscript(detail: TrajectoryDetail, options: RenderTranscriptOptions): string {
  const { turns, gaps } = detail;
  const { paint } = options;
  const lines = [...renderHead(detail, paint), ''];
  let previous: number | null = null;
  for (const turn of turns) {
    lines.push(...renderTurnHead(turn, previous, paint));
    for (const message of turn.messages) lines.push(...renderMessage(message, options));
    for (const [index, reply] of turn.replies.entries()) {
      if (turn.replies.length > 1) lines.push(paint.dim(`reply ${index + 1} of ${turn.replies.length}`));
      lines.push(...renderMessage(reply.message, options));
    }
    if (turn.error !== null) {
      const status = turn.error.status === null ? '' : ` ${turn.error.status}`;
      lines.push(paint.red(`✗ failed${status}: ${cleanLine(turn.error.message)}`), '');
    } else if (turn.state === 'interrupted') lines.push(paint.yellow('! the reply broke off here'), '');
    previous = turn.turn_index;
  }
  for (const gap of gaps) {
    const which = gap.from === gap.to ? `record ${gap.from}` : `records ${gap.from} to ${gap.to}`;
    lines.push(paint.yellow(`! ${which} of ${cleanLine(gap.recorder)} never arrived`));
  }
  return `${lines.join('\n').trimEnd()}\n`;
}

function renderHead({ summary, turns }: TrajectoryDetail, paint: Paint): string[] {
  const written = countWritten(turns);
  const active = turns.reduce((sum, turn) => sum + Math.max(0, turn.ended_at - turn.started_at), 0);
  const facts = [
    summary.model === null ? undefined : cleanLine(summary.model),
    `${summary.turn_count} turn${summary.turn_count === 1 ? '' : 's'}`,
    summary.tool_call_count === 0
      ? undefined
      : `${summary.tool_call_count} tool call${summary.tool_call_count === 1 ? '' : 's'}`,
    // A stream may not have told: that is not 0.
    written === undefined ? 'tokens written unknown' : `${written} tokens written`,
    summary.cost === null ? undefined : `$${summary.cost.toPrecision(3)}`,
    // What lies between two calls is nobody's work.
    `took ${formatMs(active)}`,
    summary.has_tokens ? 'ids and logprobs' : 'text only',
  ];
  const marks = [
    summary.outcome === null ? undefined : `outcome ${cleanLine(summary.outcome)}`,
    summary.reward === null ? undefined : `reward ${summary.reward}`,
    summary.rating === null ? undefined : `rating ${summary.rating.toFixed(2)}`,
    summary.user === null ? undefined : `user ${cleanLine(summary.user)}`,
    `consent ${summary.consent}`,
    ...summary.tags.map((tag) => `#${cleanLine(tag)}`),
  ];
  const join = (parts: readonly (string | undefined)[]): string =>
    parts.filter((part) => part !== undefined).join(' · ');
  return [
    `${paint.bold(summary.trajectory_id)}  ${paint.dim(new Date(summary.started_at).toISOString())}`,
    join(facts),
    paint.dim(join(marks)),
  ];
}

/** Undefined where nobody counted. */
function countWritten(turns: readonly TrajectoryTurn[]): number | undefined {
  const counts = turns.flatMap(({ usage, replies }) => {
    const ids = replies.flatMap(({ tokens }) => (tokens === null ? [] : [tokens.token_ids.length]));
    const known = usage?.completion_tokens ?? (ids.length === 0 ? undefined : ids.reduce((sum, each) => sum + each, 0));
    return known === undefined ? [] : [known];
  });
  return counts.length === 0 ? undefined : counts.reduce((sum, each) => sum + each, 0);
}

function renderTurnHead(turn: TrajectoryTurn, previous: number | null, paint: Paint): string[] {
  const isFork = turn.parent_index !== previous;
  const fork =
    !isFork || turn.turn_index === 0
      ? ''
      : turn.parent_index === null
        ? ' · begins anew'
        : ` · continues turn ${turn.parent_index}, from its message ${turn.kept_messages} on`;
  const head = paint.dim(`── turn ${turn.turn_index}${fork} `.padEnd(40, '─'));
  return [isFork && turn.turn_index !== 0 ? `${head} ${paint.yellow('fork')}` : head];
}

function renderMessage(message: ChatMessage, options: RenderTranscriptOptions): string[] {
  const { paint, columns, showThinking } = options;
  if (message.role === 'tool' || message.role === 'function') return renderResult(message, options);
  const { thinking, text } = splitThinking(message);
  const lines = [renderRole(message.role, paint)];
  const width = columns - INDENT.length;
  if (thinking !== '') {
    const clean = cleanText(thinking);
    const folded = `▸ thinking, ${clean.split(/\s+/u).length} words: ${cleanLine(thinking)}`;
    const shown = showThinking ? ['▾ thinking', ...wrapText(clean, width)] : [cutText(folded, width)];
    lines.push(...shown.map((line) => INDENT + paint.dim(line)));
  }
  if (text.trim() !== '') lines.push(...wrapText(cleanText(text.trim()), width).map((line) => INDENT + line));
  for (const call of message.tool_calls ?? []) lines.push(INDENT + renderCall(call, width, paint));
  return [...lines, ''];
}

function renderRole(role: string, paint: Paint): string {
  if (role === 'user') return paint.bold(paint.green('user'));
  if (role === 'assistant') return paint.bold(paint.blue('assistant'));
  return paint.bold(paint.magenta(cleanLine(role)));
}

function renderCall({ function: { name, arguments: given } }: ChatToolCall, columns: number, paint: Paint): string {
  const line = cutText(`${cleanLine(name)}(${cleanLine(given)})`, columns - 2);
  return `${paint.yellow('→')} ${line}`;
}

function renderResult(
  message: ChatMessage,
  { paint, columns, showResults = false }: RenderTranscriptOptions,
): string[] {
  const { text } = splitThinking(message);
  const width = columns - INDENT.length - 2;
  const all = wrapText(cleanText(text.trim()), width);
  const shown = showResults || all.length <= RESULT_LINES + 1 ? all : all.slice(0, RESULT_LINES);
  const more = all.length - shown.length;
  const name = typeof message.name === 'string' ? `${cleanLine(message.name)}: ` : '';
  return [
    ...shown.map(
      (line, index) => `${INDENT}${paint.yellow(index === 0 ? '←' : ' ')} ${paint.dim(index === 0 ? name : '')}${line}`,
    ),
    ...(more > 0 ? [`${INDENT}  ${paint.dim(`… ${more} more lines`)}`] : []),
    '',
  ];
}
