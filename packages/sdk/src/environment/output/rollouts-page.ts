import { type ChatMessage, escapeHtml } from '@lachesis/protocol';
import type { Outcome } from '../outcome.ts';
import { textOf } from '../policy/read-completions.ts';

/** One rollout to show. */
export interface PageRollout {
  readonly messages: readonly ChatMessage[];
  readonly outcome: Outcome;
}

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --good: #1a7f37; --bad: #b3261e; --none: #8a6d00 }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.3rem } table { border-collapse: collapse } td, th { padding: .15rem .8rem .15rem 0; text-align: left }
details { border: 1px solid var(--line); border-radius: 6px; margin: .5rem 0; padding: .3rem .8rem }
details details { margin-left: .5rem } summary { cursor: pointer }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .2rem 0 .8rem; font: 13px/1.45 ui-monospace, monospace }
.role { font-weight: 600; font-size: .8rem; opacity: .7 } .good { color: var(--good) } .bad { color: var(--bad) } .none { color: var(--none) }
`;

/** The beginning of a page; groups follow, and `PAGE_END`. It stands alone: no script, no address. */
export function pageStart(title: string, facts: Readonly<Record<string, string | number>>): string {
  const rows = Object.entries(facts).map(
    ([name, value]) => `<tr><th>${escapeHtml(name)}</th><td>${escapeHtml(formatFact(value))}</td></tr>`,
  );
  return (
    `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body>\n<h1>${escapeHtml(title)}</h1>\n` +
    `<table>${rows.join('')}</table>\n`
  );
}

export const PAGE_END = '</body></html>\n';

export function groupBlock(title: string, rollouts: readonly PageRollout[]): string {
  const rewards = rollouts.map(({ outcome }) => outcomeMark(outcome)).join(' ');
  return `<details><summary>${escapeHtml(title)}: ${rewards}</summary>\n${rollouts.map(rolloutBlock).join('')}</details>\n`;
}

export function rolloutBlock({ messages, outcome }: PageRollout, index: number): string {
  const signals =
    outcome.kind === 'scored' && outcome.signals !== undefined
      ? Object.entries(outcome.signals).map(([name, value]) => `${name} ${formatFact(value)}`)
      : [];
  const reason = outcome.kind === 'scored' ? signals.join(', ') : outcome.reason;
  const turns = messages.map((message) => {
    const calls = message.tool_calls ?? [];
    const text = textOf(message.content) + (calls.length === 0 ? '' : `\n${JSON.stringify(calls, null, 1)}`);
    return `<div class="role">${escapeHtml(message.role)}</div><pre>${escapeHtml(text)}</pre>`;
  });
  return (
    `<details><summary>${index + 1}. ${outcomeMark(outcome)} ${escapeHtml(reason)}</summary>\n` +
    `${turns.join('\n')}</details>\n`
  );
}

/** Only what is scored shows a number. */
function outcomeMark(outcome: Outcome): string {
  if (outcome.kind !== 'scored') return `<span class="none">${outcome.kind}</span>`;
  return `<span class="${outcome.reward > 0 ? 'good' : 'bad'}">${formatFact(outcome.reward)}</span>`;
}

const formatFact = (value: string | number): string =>
  typeof value === 'string' || Number.isInteger(value) ? String(value) : value.toFixed(3);
