import type { WhyReply } from '@lachesis/protocol';
import { cleanLine } from '../terminal/clean-text.ts';
import { wrapText } from '../terminal/text-width.ts';
import { formatDuration } from '../terminal/format-duration.ts';
import { formatNumber } from '../terminal/format-number.ts';
import type { RenderRunOptions } from './render-run.ts';

/** Who waits for whom, in lines. */
export function renderWhy(why: WhyReply, { paint, columns, now }: RenderRunOptions): string[] {
  const mark = why.cause === 'none' || why.cause === 'run-ended' ? paint.green : paint.yellow;
  const waits = why.waits.map(({ who, waits_for: whom, since, holding, detail }) => {
    const long = since === null ? '' : ` for ${formatDuration((now - since) / 1_000)}`;
    const held = holding === null ? '' : `, holding ${holding}`;
    return wrapText(cleanLine(`${who} waits for ${whom}${long}${held}: ${detail}`), columns - 2).map(
      (line) => `  ${line}`,
    );
  });
  const found = (why.learning ?? []).flatMap(({ cause, message, command }) => [
    ...wrapText(cleanLine(`${cause}: ${message}`), columns - 2).map((line) => `  ${line}`),
    // Whole, however long: it is there to be copied.
    `    ${paint.cyan(cleanLine(command))}`,
  ]);
  const lags = Object.entries(why.event_loop_lag).map(
    ([station, lag]) => `${station} ${lag === null ? 'does not say' : `${formatNumber(lag)} ms`}`,
  );
  return [
    `${paint.bold(`run ${why.run_id}`)}  ${cleanLine(why.status)}  ${mark(why.cause)}`,
    ...wrapText(cleanLine(why.message), columns),
    ...(why.hint === null ? [] : wrapText(cleanLine(why.hint), columns).map(paint.cyan)),
    ...(found.length === 0 ? [] : ['', paint.bold('why it does not learn'), ...found]),
    ...(waits.length === 0 ? [] : ['', ...waits.flat()]),
    ...(lags.length === 0 ? [] : ['', paint.dim(`event loops are late by: ${lags.join(', ')}`)]),
  ];
}
