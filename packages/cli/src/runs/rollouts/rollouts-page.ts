import { escapeHtml, type RolloutGroup, type RolloutOutline, type RolloutStep } from '@lachesis/protocol';
import { cleanText } from '../../terminal/clean-text.ts';
import { formatNumber } from '../../terminal/format-number.ts';
import { readWholeStep, type RolloutClient } from './find-rollouts.ts';
import { listTurns } from './sequence-text.ts';

type Sequence = RolloutGroup['sequences'][number];

export interface RolloutsPageOptions {
  client: RolloutClient;
  runId: string;
  /** One step alone; those of the whole run, evenly chosen, when absent. */
  step?: number | undefined;
  item?: string | undefined;
  /** The page ends before it is larger; default 8 MB, which browsers open at once. */
  mostBytes?: number | undefined;
}

const MOST_BYTES = 8_000_000;
const MOST_STEPS = 20;
const MOST_GROUPS = 8;
const MOST_SEQUENCES = 8;
const MOST_TOKENS = 1_500;
const MOST_TEXT = 20_000;
const STEPS_PER_PAGE = 1_000;

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --good: #1a7f37; --bad: #b3261e; --trained: #2b6cb033 }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.3rem } summary { cursor: pointer }
details { border: 1px solid var(--line); border-radius: 6px; margin: .4rem 0; padding: .3rem .8rem }
pre, .tokens { white-space: pre-wrap; overflow-wrap: anywhere; margin: .2rem 0 .6rem; font: 13px/1.6 ui-monospace, monospace }
.role { font-weight: 600; font-size: .8rem; opacity: .7 } .good { color: var(--good) } .bad { color: var(--bad) }
.tokens b { font-weight: normal; background: var(--trained); border-radius: 2px } .note { opacity: .7; font-size: .9rem }
`;

/** A page of the rollouts of a run, by step, piece by piece. It stands alone: no script, no address. */
export async function* writeRolloutsPage(options: RolloutsPageOptions): AsyncGenerator<string> {
  const { client, runId, item, mostBytes = MOST_BYTES } = options;
  const { steps, total } = await chooseSteps(options);
  const title = `Rollouts of run ${runId}${item === undefined ? '' : `, item ${item}`}`;
  let bytes = 0;
  const sized = (text: string): string => {
    bytes += Buffer.byteLength(text);
    return text;
  };
  yield sized(
    `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
      `<title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body>\n<h1>${escapeHtml(title)}</h1>\n` +
      `<p class="note">${steps.length} of ${total} steps. Marked tokens were trained on; hold the pointer over one for its log probabilities.</p>\n`,
  );
  let written = 0;
  for (const step of steps) {
    if (bytes > mostBytes) break;
    written += 1;
    yield sized(`<details><summary>${escapeHtml(titleOf(step))}</summary>\n`);
    if (step.is_kept) {
      const { outlines } = await readWholeStep(client, runId, step.step);
      const fitting = item === undefined ? outlines : outlines.filter((outline) => outline.item === item);
      let shown = 0;
      for (const outline of fitting.slice(0, MOST_GROUPS)) {
        if (bytes > mostBytes) break;
        shown += 1;
        yield sized(groupBlock(outline, await client.readGroup(runId, outline.group_id, { tokens: true })));
      }
      yield sized(leftOut(fitting.length - shown, 'group', `lachesis rollouts ${runId} --step ${step.step}`));
    } else {
      yield sized('<p class="note">These rollouts are no longer kept.</p>\n');
    }
    yield sized('</details>\n');
  }
  yield `${leftOut(total - written, 'step', `lachesis rollouts ${runId} --step <n>`)}</body></html>\n`;
}

/** The first, the last, and evenly between them: what changed shows there. */
async function chooseSteps(options: RolloutsPageOptions): Promise<{ steps: RolloutStep[]; total: number }> {
  const { client, runId, item } = options;
  if (options.step !== undefined) {
    const { step } = await client.readStep(runId, options.step, { limit: 1 });
    return { steps: [step], total: 1 };
  }
  const all: RolloutStep[] = [];
  let before: number | undefined;
  do {
    const page: Awaited<ReturnType<RolloutClient['listSteps']>> = await client.listSteps(runId, {
      limit: STEPS_PER_PAGE,
      ...(item === undefined ? {} : { item }),
      ...(before === undefined ? {} : { before }),
    });
    all.push(...page.steps);
    before = page.next ?? undefined;
  } while (before !== undefined);
  const ordered = all.toReversed();
  if (ordered.length <= MOST_STEPS) return { steps: ordered, total: ordered.length };
  const places = Array.from({ length: MOST_STEPS }, (_, place) =>
    Math.round((place * (ordered.length - 1)) / (MOST_STEPS - 1)),
  );
  return { steps: places.flatMap((place) => ordered[place] ?? []), total: ordered.length };
}

function titleOf(step: RolloutStep): string {
  const reward = step.mean_reward === null ? 'not reported' : format(step.mean_reward);
  const version = step.policy_version === null ? '' : `, policy ${step.policy_version}`;
  return `Step ${step.step}: reward ${reward}, ${step.groups} groups${version}`;
}

function groupBlock(outline: RolloutOutline, group: RolloutGroup): string {
  const scores = outline.scores.map(scoreMark).join(' ');
  const sequences = group.sequences.slice(0, MOST_SEQUENCES).map(sequenceBlock).join('');
  return (
    `<details><summary>${escapeHtml(cleanText(group.item))}: ${scores}</summary>\n${sequences}` +
    `${leftOut(group.sequences.length - MOST_SEQUENCES, 'sequence', `GET /runs/${group.run_id}/groups/${group.group_id}`)}</details>\n`
  );
}

function sequenceBlock(sequence: Sequence): string {
  const versions = [...new Set(sequence.policy_versions.map(([, , version]) => version))];
  const facts = [
    `advantage ${format(sequence.advantage)}`,
    `policy ${versions.length === 0 ? '-' : versions.join(', ')}`,
    `${sequence.trained_tokens} of ${sequence.length} tokens trained`,
    `drift ${format(sequence.drift)}`,
    ...(sequence.left_out === null ? [] : [`left out: ${sequence.left_out}`]),
  ].join(', ');
  const turns = listTurns({ ...sequence, tokens: undefined }).map(
    ({ role, text }) =>
      `<div class="role">${escapeHtml(cleanText(role))}</div><pre>${escapeHtml(cleanText(text.slice(0, MOST_TEXT)))}</pre>${leftOut(text.length - MOST_TEXT, 'letter')}`,
  );
  return (
    `<details><summary>${sequence.rollout + 1}. ${scoreMark(sequence.score)} ${escapeHtml(facts)}</summary>\n` +
    `${turns.join('\n')}\n<div class="role">tokens</div><div class="tokens">${tokenSpans(sequence)}</div></details>\n`
  );
}

function tokenSpans({ tokens = [], mask = [], logprobs, trainer_logprobs: own, pieces }: Sequence): string {
  const spans = tokens.slice(0, MOST_TOKENS).map((token, position) => {
    const text = escapeHtml(cleanText(pieces?.[position] ?? `${token} `));
    if (mask[position] !== 1) return text;
    const trainer = position === 0 ? null : (own?.[position - 1] ?? null);
    const facts = `${position}: token ${token}, sampler ${format(logprobs?.[position] ?? null)}, trainer ${format(trainer)}`;
    return `<b title="${escapeHtml(facts)}">${text}</b>`;
  });
  return `${spans.join('')}${leftOut(tokens.length - MOST_TOKENS, 'token')}`;
}

function leftOut(count: number, noun: string, where?: string): string {
  if (count <= 0) return '';
  const hint = where === undefined ? '' : `: <code>${escapeHtml(where)}</code>`;
  return `<p class="note">${count} more ${noun}${count === 1 ? '' : 's'} left out${hint}</p>\n`;
}

const scoreMark = (score: number | null): string =>
  `<span class="${score !== null && score > 0 ? 'good' : 'bad'}">${format(score)}</span>`;

const format = (value: number | null): string => (value === null ? '-' : formatNumber(value));
