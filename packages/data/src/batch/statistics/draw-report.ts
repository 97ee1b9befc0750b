import { escapeHtml } from '@lachesis/protocol';
import type { BatchStatistics } from './collect-statistics.ts';
import { drawBars, drawHistogram, formatCompact, formatDollars, formatNumber, type Bar } from './draw-charts.ts';

const STYLE = `
:root { color-scheme: light dark; --back: #fafaf8; --card: #fff; --text: #1d1f21; --soft: #63686e; --line: #e2e2dd;
  --main: #3567b1; --good: #2f8f5b; --bad: #c4483c; --quiet: #b6a35a; }
@media (prefers-color-scheme: dark) { :root { --back: #16181b; --card: #1f2226; --text: #e6e7e8; --soft: #9aa1a8; --line: #33373c;
  --main: #6f9fe6; --good: #5dbb86; --bad: #e5776b; --quiet: #cdbb72; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1160px; padding: 32px 24px 48px; background: var(--back); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, 'Segoe UI', sans-serif; }
h1 { margin: 0; font-size: 24px; } h2 { margin: 32px 0 12px; font-size: 16px; }
.about { margin: 4px 0 20px; color: var(--soft); overflow-wrap: anywhere; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px; }
.fact, figure { background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
.fact { padding: 12px 14px; } .fact b { display: block; font-size: 21px; font-variant-numeric: tabular-nums; }
.fact span { color: var(--soft); font-size: 13px; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 440px), 1fr)); gap: 16px; align-items: start; }
figure { margin: 0; padding: 14px 16px; min-width: 0; } figcaption { font-weight: 600; margin-bottom: 10px; }
figcaption small { display: block; color: var(--soft); font-weight: 400; font-size: 13px; }
svg { display: block; width: 100%; height: auto; } svg text { fill: var(--text); font-size: 13px; }
svg .note, svg .tick { fill: var(--soft); font-size: 12px; } svg line { stroke: var(--line); }
.legend { margin: 8px 0 0; font-size: 13px; color: var(--soft); } .legend span { margin-right: 16px; }
.legend i { display: inline-block; width: 10px; height: 10px; border-radius: 2px; margin-right: 6px; }
.none { margin: 0; color: var(--soft); }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; } .wide { overflow-x: auto; }
th, td { text-align: right; padding: 6px 10px; border-bottom: 1px solid var(--line); } th:first-child, td:first-child { text-align: left; }
th { color: var(--soft); font-weight: 500; font-size: 13px; }
`;

/** One page with everything in it: no script, no font and no picture from elsewhere. */
export function drawReport(statistics: BatchStatistics): string {
  const { run_name: name, model, distribution, outcomes, lengths, tokens, costs } = statistics;
  const reasoning = statistics.reasoning_statistics;
  const covered =
    reasoning.total_assistant_turns === 0 ? 0 : reasoning.turns_with_reasoning / reasoning.total_assistant_turns;
  const facts: [string, string][] = [
    [formatNumber(statistics.total_prompts), 'prompts'],
    [formatNumber(outcomes.done), 'rows kept'],
    [formatNumber(outcomes.discarded), 'discarded'],
    [formatNumber(outcomes.failed), 'failed'],
    [`${(covered * 100).toFixed(1)}%`, 'replies with reasoning'],
    [formatCompact(tokens.prompt + tokens.completion), 'tokens'],
    [formatDollars(costs.total), costs.unknown === 0 ? 'cost' : `cost; of ${formatNumber(costs.unknown)} rows unknown`],
    [formatSeconds(statistics.duration_seconds), 'this run took'],
  ];
  const about = `${model} · distribution ${distribution} · ${formatNumber(statistics.total_batches)} batches of ${statistics.batch_size} · ${statistics.completed_at.slice(0, 16).replace('T', ' ')} UTC`;
  const charts = [
    drawBars('Outcomes', [
      one('kept', outcomes.done, 'good'),
      one('discarded', outcomes.discarded, 'quiet'),
      one('failed', outcomes.failed, 'bad'),
    ]),
    drawBars('Replies', [
      one('with reasoning', reasoning.turns_with_reasoning, 'main'),
      one('without reasoning', reasoning.turns_without_reasoning, 'quiet'),
    ]),
    drawBars('Calls of tools', listTools(statistics)),
    drawBars('How conversations ended', listCounts(statistics.end_reasons)),
    drawBars('Toolsets that were offered', listCounts(statistics.toolsets)),
    drawBars('Attempts that a row took', listCounts(statistics.attempts)),
    drawHistogram('Replies in a conversation', lengths.turns),
    drawHistogram('Messages in a conversation', lengths.messages),
    drawHistogram('Characters in a conversation', lengths.characters),
    drawHistogram('Tokens that a row took, in all its calls', lengths.tokens),
    drawHistogram('Cost of a row', lengths.cost, formatDollars),
  ];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(name)}: bulk generation</title><style>${STYLE}</style></head><body>
<h1>${escapeHtml(name)}</h1><p class="about">${escapeHtml(about)}</p>
<section class="facts">${facts.map(([value, label]) => `<div class="fact"><b>${escapeHtml(value)}</b><span>${escapeHtml(label)}</span></div>`).join('')}</section>
${drawFailures(statistics)}
<h2>Over time</h2><section class="charts">${drawTimes(statistics)}</section>
<h2>Rows to read</h2>${drawRows(statistics)}
<h2>What happened</h2><section class="charts">${charts.join('\n')}</section>
<h2>Tools</h2>${drawTools(statistics)}
</body></html>
`;
}

/** What went wrong comes before everything else. */
function drawFailures({ failure_reasons: reasons, outcomes }: BatchStatistics): string {
  if (outcomes.failed === 0) return '';
  const rows = Object.entries(reasons).map(
    ([reason, count]) => `<tr><td>${escapeHtml(reason)}</td><td>${formatNumber(count)}</td></tr>`,
  );
  return `<h2>Why prompts have no row</h2><div class="wide"><table><thead><tr><th>reason</th><th>prompts</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}

function drawTimes({ timeline }: BatchStatistics): string {
  const at = (text: string): string => text.slice(11, 19);
  const bars = (title: string, values: readonly number[], format: (value: number) => string): string =>
    drawBars(
      title,
      timeline.map((piece, place) => {
        const value = values[place] ?? 0;
        return { label: at(piece.at), parts: [{ value, colour: 'main', name: title }], note: format(value) };
      }),
    );
  const costs = timeline.map(({ cost }) => cost);
  return [
    bars(
      'Rows kept',
      timeline.map(({ kept }) => kept),
      formatNumber,
    ),
    ...(costs.some((cost) => cost > 0) ? [bars('Cost', costs, formatDollars)] : []),
  ].join('\n');
}

function drawRows({ rows_to_read: rows }: BatchStatistics): string {
  if (rows.length === 0) return '<p class="none">No row stands out.</p>';
  const lines = rows.map(
    ({ prompt_index: index, why, prompt }) =>
      `<tr><td>${escapeHtml(prompt)}</td><td>${escapeHtml(why)}</td><td>${index}</td></tr>`,
  );
  return `<div class="wide"><table><thead><tr><th>prompt</th><th>why</th><th>prompt_index</th></tr></thead><tbody>${lines.join('')}</tbody></table></div>`;
}

const one = (label: string, value: number, colour: string): Bar => ({
  label,
  parts: [{ value, colour, name: 'rows' }],
  note: formatNumber(value),
});

function listTools({ tool_statistics: tools }: BatchStatistics): Bar[] {
  return Object.entries(tools)
    .sort(([, left], [, right]) => right.count - left.count)
    .map(([label, { count, success, failure, success_rate: rate }]) => ({
      label,
      parts: [
        { value: success, colour: 'good', name: 'success' },
        { value: failure, colour: 'bad', name: 'failure' },
      ],
      note: `${formatNumber(count)} · ${rate}%`,
    }));
}

const listCounts = (counts: Readonly<Record<string, number>>): Bar[] =>
  Object.entries(counts)
    .sort(([, left], [, right]) => right - left)
    .map(([label, value]) => one(label, value, 'main'));

function drawTools({ tool_statistics: tools }: BatchStatistics): string {
  const rows = Object.entries(tools)
    .sort(([, left], [, right]) => right.count - left.count)
    .map(
      ([name, { count, success, failure, success_rate: rate }]) =>
        `<tr><td>${escapeHtml(name)}</td><td>${formatNumber(count)}</td><td>${formatNumber(success)}</td><td>${formatNumber(failure)}</td><td>${rate}%</td></tr>`,
    );
  if (rows.length === 0) return '<p class="none">No tool was called.</p>';
  return `<div class="wide"><table><thead><tr><th>tool</th><th>calls</th><th>success</th><th>failure</th><th>success rate</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}

function formatSeconds(seconds: number): string {
  if (seconds < 120) return `${seconds.toFixed(1)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
}
