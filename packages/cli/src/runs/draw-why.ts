import type { WhyReply } from '@lachesis/protocol';
import { cleanLine } from '../terminal/clean-text.ts';
import { wrapText } from '../terminal/text-width.ts';
import { drawDuration } from '../terminal/draw-duration.ts';
import { drawNumber } from '../terminal/draw-number.ts';
import type { DrawRunOptions } from './draw-run.ts';

/** Who waits for whom, in lines. */
export function drawWhy(why: WhyReply, { paint, columns, now }: DrawRunOptions): string[] {
  const mark = why.cause === 'none' || why.cause === 'run-ended' ? paint.green : paint.yellow;
  const waits = why.waits.map(({ who, waits_for: whom, since, holding, detail }) => {
    const long = since === null ? '' : ` for ${drawDuration((now - since) / 1_000)}`;
    const held = holding === null ? '' : `, holding ${holding}`;
    return wrapText(cleanLine(`${who} waits for ${whom}${long}${held}: ${detail}`), columns - 2).map(
      (line) => `  ${line}`,
    );
  });
  const lags = Object.entries(why.event_loop_lag).map(
    ([station, lag]) => `${station} ${lag === null ? 'does not say' : `${drawNumber(lag)} ms`}`,
  );
  return [
    `${paint.bold(`run ${why.run_id}`)}  ${cleanLine(why.status)}  ${mark(why.cause)}`,
    ...wrapText(cleanLine(why.message), columns),
    ...(why.hint === null ? [] : wrapText(cleanLine(why.hint), columns).map(paint.cyan)),
    ...(waits.length === 0 ? [] : ['', ...waits.flat()]),
    ...(lags.length === 0 ? [] : ['', paint.dim(`event loops are late by: ${lags.join(', ')}`)]),
  ];
}
