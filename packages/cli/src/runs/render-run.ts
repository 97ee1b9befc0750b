import { type RunStatus, isFinalRunState } from '@lachesis/protocol';
import { cleanLine } from '../terminal/clean-text.ts';
import type { Paint } from '../terminal/paint.ts';
import { cutText } from '../terminal/text-width.ts';
import { formatDuration } from '../terminal/format-duration.ts';
import { formatNumber } from '../terminal/format-number.ts';
import { renderSparkline } from '../terminal/render-sparkline.ts';
import { estimateRest } from './estimate-rest.ts';
import { paintState } from './paint-state.ts';
import type { SeriesPoint } from '../terminal/render-chart.ts';
import type { RunView } from './run-view.ts';

type RunProcess = RunStatus['process_details'][number];

/** What is lost, by the name each way of training gives it. */
const LOSSES = ['train/loss', 'dpo/loss', 'kto/loss', 'reward_model/loss', 'train/mean_nll'] as const;

export interface RenderRunOptions {
  paint: Paint;
  columns: number;
  /** Milliseconds since 1970. */
  now: number;
}

const LONGEST_BAR = 30;
const LABEL = 10;
const STATE = 9;
const LONGEST_SPARKLINE = 60;

/** A run as lines of at most so many columns: state, progress, rewards, failures, processes. Writes nothing. */
export function renderRun(view: RunView, options: RenderRunOptions): string[] {
  const { paint } = options;
  const sections = [renderHead(view, options), renderCurves(view, options), renderProcesses(view, options)];
  const away =
    view.awayMs === undefined
      ? []
      : [paint.yellow(`the server has not answered for ${formatDuration(view.awayMs / 1_000)}`)];
  return [...sections, renderTrouble(view, options), away]
    .filter((section) => section.length > 0)
    .flatMap((section, index) => (index === 0 ? section : ['', ...section]));
}

function renderHead(view: RunView, { paint, columns, now }: RenderRunOptions): string[] {
  const { status } = view;
  const began = status.started_at ?? status.created_at;
  const took = formatDuration(((status.ended_at ?? now) - began) / 1_000);
  const name = cleanLine(status.wandb_run_name ?? '');
  const head = `${paint.bold(`run ${status.run_id}`)}  ${paintState(paint, status.status)}  ${took}`;
  const room = Math.max(8, columns - `run ${status.run_id}  ${status.status}  ${took}  `.length);
  const title = cutText([cleanLine(nameEnvironments(status)), name].filter((part) => part !== '').join(', '), room);
  const reason = status.reason === null ? [] : [paint.dim(cutText(cleanLine(status.reason), columns))];
  return [`${head}  ${paint.dim(title)}`, ...reason, renderProgress(view, { paint, columns, now })];
}

/** Several with their weights: `digits 3 : letters 1`. */
const nameEnvironments = ({ environment, environments = [] }: RunStatus): string =>
  environments.length < 2 ? environment : environments.map(({ name, weight }) => `${name} ${weight}`).join(' : ');

function renderProgress(view: RunView, { paint, columns, now }: RenderRunOptions): string {
  const { total_steps: total, metrics } = view.status;
  if (total === null || total === 0) return `step ${metrics.step}`;
  const share = Math.min(1, metrics.step / total);
  const rest = estimateRest(view, now);
  const done = `step ${metrics.step}/${total}  ${Math.floor(share * 100)} %`;
  const left = rest === undefined ? '' : `  left ${formatDuration(rest)}`;
  const width = Math.max(0, Math.min(LONGEST_BAR, columns - done.length - left.length - 2));
  const filled = Math.floor(share * width);
  const bar = `${paint.green('█'.repeat(filled))}${paint.dim('░'.repeat(width - filled))}`;
  return `${bar}${width === 0 ? '' : '  '}${done}${paint.dim(left)}`;
}

function renderCurves({ status, series }: RunView, { paint, columns }: RenderRunOptions): string[] {
  const label = (text: string): string => paint.dim(text.padEnd(LABEL));
  const curve = (name: string, points: readonly SeriesPoint[]): string[] => {
    const last = points.at(-1);
    if (last === undefined) return [];
    const values = points.map(({ value }) => value);
    const bounds = `  ${formatNumber(Math.min(...values))} to ${formatNumber(Math.max(...values))}`;
    const figure = formatNumber(last.value).padStart(8);
    const room = Math.min(LONGEST_SPARKLINE, columns - LABEL - figure.length - 2 - bounds.length);
    return [`${label(name)}${figure}  ${paint.cyan(renderSparkline(values, Math.max(1, room)))}${paint.dim(bounds)}`];
  };
  const percent = (name: string, share: number | null | undefined): string[] =>
    typeof share === 'number' ? [`${label(name)}${`${(share * 100).toFixed(1)} %`.padStart(8)}`] : [];
  const staleness = series['train/staleness_mean']?.at(-1)?.value;
  const oldest = series['train/staleness_max']?.at(-1)?.value;
  return [
    ...curve('reward', series['reward/mean'] ?? []),
    ...curve('loss', LOSSES.map((name) => series[name]).find((points) => points !== undefined) ?? []),
    ...percent('correct', status.metrics.percent_correct),
    ...percent('eval', status.metrics.eval_percent_correct),
    ...(staleness === undefined
      ? []
      : [
          `${label('staleness')}${formatNumber(staleness).padStart(8)}  ${paint.dim(
            oldest === undefined ? 'versions' : `versions, at most ${formatNumber(oldest)}`,
          )}`,
        ]),
  ];
}

function renderProcesses({ status }: RunView, { paint, columns }: RenderRunOptions): string[] {
  return status.process_details.map((process) => {
    const facts = describeProcess(process);
    const width = facts === '' ? process.state.length : STATE;
    const room = Math.max(1, columns - LABEL - STATE);
    return `${paint.dim(process.role.padEnd(LABEL))}${paintState(paint, process.state, process.state.padEnd(width))}${cutText(facts, room)}`;
  });
}

function describeProcess({ pid, port, restarts, reason, state }: RunProcess): string {
  const isUp = state === 'running' || state === 'starting' || state === 'stopping';
  const facts = [
    isUp && pid !== null ? `pid ${pid}` : '',
    isUp && port !== null ? `port ${port}` : '',
    restarts > 0 ? `started again ${restarts === 1 ? 'once' : `${restarts} times`}` : '',
    reason !== null && (restarts > 0 || !isUp) ? cleanLine(reason) : '',
  ];
  return facts.filter((fact) => fact !== '').join('  ');
}

/** What somebody who watches should know and would not look for. */
function renderTrouble({ status, series, why }: RunView, { paint, columns }: RenderRunOptions): string[] {
  const restarts = status.process_details.reduce((sum, process) => sum + process.restarts, 0);
  const alarm = series['numerics/alarms']?.findLast(({ value }) => value > 0);
  const dead = series['train/dead_groups']?.at(-1)?.value ?? 0;
  const groups = series['train/groups']?.at(-1)?.value;
  const counts = [
    restarts > 0 ? `${restarts} restart${restarts === 1 ? '' : 's'}` : '',
    alarm === undefined ? '' : `numbers out of bounds at step ${alarm.step}`,
    dead > 0
      ? `${formatNumber(dead)}${groups === undefined ? '' : ` of ${formatNumber(groups)}`} groups without a signal`
      : '',
  ].filter((count) => count !== '');
  const label = (text: string): string => text.padEnd(LABEL);
  const isHeldUp = why !== undefined && why.cause !== 'none' && !isFinalRunState(status.status);
  return [
    ...(counts.length === 0 ? [] : [paint.yellow(cutText(`${label('failures')}${counts.join(', ')}`, columns))]),
    ...(isHeldUp ? [paint.yellow(cutText(`${label('held up')}${cleanLine(why.message)}`, columns))] : []),
    ...(isHeldUp && why.hint !== null ? [paint.dim(cutText(`${label('')}${cleanLine(why.hint)}`, columns))] : []),
  ];
}
